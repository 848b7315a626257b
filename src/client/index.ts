export { createClient } from "./create-client.ts";
export type { AnyClient, Client, ClientOptions } from "./create-client.ts";
export type { Call, Calls, RowsOf, RequestFields } from "./calls.ts";
export type { FeedEvent, FeedQuery } from "./feed.ts";
export type {
  ActionOf,
  ClaimedOf,
  CreationOf,
  ExplanationOf,
  JournalEntryOf,
  LifecyclesOf,
  MovedOf,
  MoveOf,
  SomeLifecycle,
  StatusOf,
  TaskOf,
  TaskQueryOf,
} from "./lifecycle.ts";
export type { Feed, ListenOptions } from "./listen.ts";
export { PawlProblem } from "./problem.ts";
export type { CallOptions } from "./send.ts";
export type { Tasks } from "./tasks.ts";
