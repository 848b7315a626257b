import type { ScenarioFunction } from "../environment.ts";
import { batchCreates } from "./batch-creates.ts";
import { chatEvents } from "./chat-events.ts";
import { churn } from "./churn.ts";
import { codeCycle } from "./code-cycle.ts";
import { claimAndComplete } from "./claim-and-complete.ts";
import { decisions } from "./decisions.ts";
import { deliveryStream } from "./delivery-stream.ts";
import { dependents } from "./dependents.ts";
import { enqueue } from "./enqueue.ts";
import { eventDelivery } from "./event-delivery.ts";
import { fleet } from "./fleet.ts";
import { fleetOverHttp } from "./fleet-http.ts";
import { growth } from "./growth.ts";
import { httpMoves } from "./http-moves.ts";
import { memory } from "./memory.ts";
import { pipeline } from "./pipeline.ts";
import { movesOf64Callers, movesOfOneCaller } from "./single-moves.ts";
import { twoProcesses } from "./two-processes.ts";

export type Scenario = { run: ScenarioFunction; peers: boolean };

/** The scenarios by their names on the command line. */
export const SCENARIOS: Readonly<Record<string, Scenario>> = {
  fleet: { run: fleet, peers: true },
  "fleet-http": { run: fleetOverHttp, peers: false },
  enqueue: { run: enqueue, peers: true },
  pipeline: { run: pipeline, peers: true },
  claim: { run: claimAndComplete, peers: true },
  "batch-creates": { run: batchCreates, peers: true },
  moves: { run: movesOf64Callers, peers: false },
  "moves-alone": { run: movesOfOneCaller, peers: false },
  decisions: { run: decisions, peers: false },
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
