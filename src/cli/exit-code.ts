/** What the process tells its caller. The help of `pawl` lists them. */
export const EXIT = { fine: 0, finding: 1, usage: 2 } as const;

export type ExitCode = (typeof EXIT)[keyof typeof EXIT];
