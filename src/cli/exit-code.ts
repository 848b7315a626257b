/** What the process tells its caller. The help of `pawl` and docs/command-line.md list them. */
export const EXIT = { fine: 0, finding: 1, usage: 2, refused: 3, token: 4, server: 5 } as const;

export type ExitCode = (typeof EXIT)[keyof typeof EXIT];

export const EXIT_MEANINGS: Readonly<Record<keyof typeof EXIT, string>> = {
  fine: "all is well",
  finding: "a finding, or a mistake in a lifecycle, a configuration or a database",
  usage: "wrong usage: an unknown command, option, field or lifecycle",
  refused: "the server says no: by a rule, a version, a wrong shape, or no such thing",
  token: "the token is missing, unknown or revoked",
  server: "no server answers, or what answers is no Pawl, or one of another version",
};
