/** What a confined token is for: the callbacks of one chat, or the agent that works on one task. */
export type Confines =
  { kind: "chat"; workspace_id: string; chat_id: string } | { kind: "task"; task_id: string };

export type ConfinedKind = Confines["kind"];
