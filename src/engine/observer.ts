/** The commands of a batch with their outcomes. */
export type Settled = {
  verb: "create" | "perform" | "claim";
  answered: readonly { command: unknown; outcome: unknown }[];
  ms: number;
};

/** Result of a sweep. */
export type Swept = { looked_at: number; moved: number; put_off: { task_id: string; why: string }[] };

/** Callbacks for metrics; they must be quick and must not throw. */
export type EngineObserver = {
  settled?(batch: Settled): void;
  swept?(sweep: Swept & { ms: number }): void;
};
