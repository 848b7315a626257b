import { Worker as Thread } from "node:worker_threads";
import type { Connection } from "../client/connection.ts";
import { LeaseRenewal } from "./lease-renewal.mjs";
import type { RenewalMessage, RenewalReport } from "./lease-renewal.mjs";
import type { WorkerClient } from "./worker-options.ts";

export type RenewalTimes = {
  /** If the main thread is silent for this long, it is considered dead and its leases are no longer renewed. */
  mainThreadTimeoutMs: number;
  /** Maximum time between renewals. */
  renewalIntervalMs: number;
};

/** Runs the renewal of leases, and passes messages to it. */
export type RenewalHost = { post: (message: RenewalMessage) => void; stop: () => Promise<unknown> };

type RenewalEvents = {
  onReport: (report: RenewalReport) => void;
  onFailure: (error: Error) => void;
  /** The host has ended by itself and must be replaced. */
  onEnd: () => void;
};

export type StartRenewal = (events: RenewalEvents) => RenewalHost;

/** Renews over HTTP, from a thread that a busy handler cannot block. */
export function inThread(
  { url, headers }: Pick<Connection, "url" | "headers">,
  times: RenewalTimes,
): StartRenewal {
  return ({ onReport, onFailure, onEnd }) => {
    const thread = new Thread(new URL("./lease-renewal-thread.mjs", import.meta.url), {
      workerData: { url, headers: { ...headers }, ...times },
      // The thread needs none of the options of the process, such as a loader or an inspector.
      execArgv: [],
    });
    // The thread must not keep a finished process alive.
    thread.unref();
    thread.on("message", onReport).on("error", onFailure).on("exit", onEnd);
    return {
      post: (message) => {
        thread.postMessage(message);
      },
      stop: () => thread.terminate(),
    };
  };
}

/**
 * Renews on the main thread, through the engine of the same process. A handler that blocks the event loop for longer than its lease
 * loses it: docs/decisions/0029-in-process-workers.md explains why there is no thread.
 */
export function inProcess(
  { beatLeases }: Pick<WorkerClient, "beatLeases">,
  { renewalIntervalMs }: RenewalTimes,
): StartRenewal {
  return ({ onReport }) => {
    const renewal = new LeaseRenewal({
      send: (leases) => beatLeases({ leases }),
      report: onReport,
      mainThreadTimeoutMs: Infinity,
      renewalIntervalMs,
    });
    return {
      post: (message) => {
        renewal.receive(message);
      },
      stop: () => {
        renewal.stop();
        return Promise.resolve();
      },
    };
  };
}
