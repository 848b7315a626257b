import type { Report } from "../report.ts";
import type { Stage } from "../stage.ts";
import { batchCreates } from "./batch-creates.ts";
import { chatEvents } from "./chat-events.ts";
import { churn } from "./churn.ts";
import { codeCycle } from "./code-cycle.ts";
import { claimAndComplete } from "./claim-and-complete.ts";
import { decisions } from "./decisions.ts";
import { deliveryStream } from "./delivery-stream.ts";
import { dependents } from "./dependents.ts";
import { eventDelivery } from "./event-delivery.ts";
import { growth } from "./growth.ts";
import { httpMoves } from "./http-moves.ts";
import { memory } from "./memory.ts";
import { singleCreates } from "./single-creates.ts";
import { movesOfMany, movesOfOne } from "./single-moves.ts";
import { twoProcesses } from "./two-processes.ts";

export type Scenario = { run: (stage: Stage) => Promise<Report>; peers: boolean };

/** By the names that --only takes. */
export const SCENARIOS: Readonly<Record<string, Scenario>> = {
  decisions: { run: decisions, peers: false },
  claim: { run: claimAndComplete, peers: true },
  "batch-creates": { run: batchCreates, peers: true },
  "single-creates": { run: singleCreates, peers: true },
  moves: { run: movesOfMany, peers: false },
  "moves-alone": { run: movesOfOne, peers: false },
  growth: { run: growth, peers: false },
  churn: { run: churn, peers: false },
  "two-processes": { run: twoProcesses, peers: false },
  dependents: { run: dependents, peers: false },
  memory: { run: memory, peers: false },
  events: { run: eventDelivery, peers: false },
  chats: { run: chatEvents, peers: false },
  "delivery-stream": { run: deliveryStream, peers: false },
  http: { run: httpMoves, peers: false },
  code: { run: codeCycle, peers: false },
};
