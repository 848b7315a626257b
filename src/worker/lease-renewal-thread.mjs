// Runs in its own thread, so that a handler that blocks the main thread does not stop renewals.
import { parentPort, workerData } from "node:worker_threads";
import { LeaseRenewal } from "./lease-renewal.mjs";

const { url, headers, ...times } = workerData;
const MAX_REQUEST_MS = 10_000;

const renewal = new LeaseRenewal({
  send: sendRenewal,
  report: (report) =>
    parentPort.postMessage(
      "failed" in report ? { failed: `POST /api/heartbeats: ${report.failed}` } : report,
    ),
  ...times,
});
parentPort.on("message", (message) => renewal.receive(message));

async function sendRenewal(leases, timeoutMs) {
  const response = await fetch(`${url}/api/heartbeats`, {
    method: "POST",
    headers: { ...headers, "content-type": "application/json" },
    body: JSON.stringify({ leases }),
    signal: AbortSignal.timeout(Math.max(1_000, Math.min(MAX_REQUEST_MS, timeoutMs))),
  });
  const text = await response.text();
  if (!response.ok) throw new Error(`status ${response.status}`);
  return JSON.parse(text);
}
