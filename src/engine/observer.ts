/** The commands of a batch with their outcomes. */
export type BatchStats = {
  verb: "create" | "perform" | "claim";
  answered: readonly { command: unknown; outcome: unknown }[];
  ms: number;
};

/** Result of a sweep. */
export type Swept = { checked: number; moved: number; postponed: { task_id: string; why: string }[] };

/** Callbacks for metrics; they must be quick and must not throw. */
export type EngineObserver = {
  settled?(batch: BatchStats): void;
  swept?(sweep: Swept & { ms: number }): void;
};
