/** Exit codes of the process, listed in the help of `pawl` and in docs/command-line.md. */
export const EXIT = { fine: 0, finding: 1, usage: 2, refused: 3, token: 4, server: 5 } as const;

/** One of the exit codes in `EXIT`. */
export type ExitCode = (typeof EXIT)[keyof typeof EXIT];

export const EXIT_MEANINGS: Readonly<Record<keyof typeof EXIT, string>> = {
  fine: "success",
  finding: "a check failed, or a lifecycle, configuration or database is invalid",
  usage: "wrong usage: an unknown command, option, field, lifecycle or status, or an invalid value",
  refused: "refused: a rule, permission or version conflict; not found, or exists already",
  token: "the token is missing, unknown or revoked",
  server: "no server answers, or it is not a Pawl server of a compatible version",
};
