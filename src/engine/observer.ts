/** Commands that were carried out together, and what came of each. */
export type Settled = {
  verb: "create" | "perform" | "claim";
  answered: readonly { command: unknown; outcome: unknown }[];
  ms: number;
};

/** Result of a sweep. */
export type Swept = { looked_at: number; moved: number; put_off: { task_id: string; why: string }[] };

/** Is told what the engine has done, for figures; what it does with that must be quick, and must not throw. */
export type EngineObserver = {
  settled?(batch: Settled): void;
  swept?(sweep: Swept & { ms: number }): void;
};
