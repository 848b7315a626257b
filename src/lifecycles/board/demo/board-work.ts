/** A demo task, with the comments that its agent writes. */
export type BoardWork = {
  title: string;
  description: string;
  priority: "low" | "normal" | "high" | "critical";
  workspace: "main" | "website";
  /** Comments for the start, a problem, and the end. */
  plan: string;
  problem: string;
  result: string;
};

/** A list of texts to pick from. */
type Phrases = readonly [string, ...string[]];

/** All texts and names of the board's demo in one language. */
export type BoardContent = {
  names: Readonly<Record<"maya" | "roman" | "scout" | "quill" | "abacus" | "relay", string>>;
  projects: Readonly<Record<BoardWork["workspace"], string>>;
  works: readonly [BoardWork, ...BoardWork[]];
  /** Comments on work in progress. */
  remarks: Phrases;
  escalations: Phrases;
  resumptions: Phrases;
  releases: Phrases;
  /** Comments of an agent that takes over an abandoned task. */
  rescues: Phrases;
  cancellations: Phrases;
  /** Reasons to cancel a task whose blocker was canceled, and to return a task to the list. */
  blockerCanceled: string;
  returned: string;
};

export function boardWork(
  title: string,
  description: string,
  [plan, problem, result]: readonly [string, string, string],
  priority: BoardWork["priority"] = "normal",
  workspace: BoardWork["workspace"] = "main",
): BoardWork {
  return { title, description, priority, workspace, plan, problem, result };
}
