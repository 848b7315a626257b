// Loaded with `node --import`: appends the address of every module that the process loads to the file in TRACE_FILE.
import { appendFileSync } from "node:fs";
import { register } from "node:module";
import { isMainThread } from "node:worker_threads";

if (isMainThread) register(import.meta.url);

export async function load(url, context, nextLoad) {
  appendFileSync(process.env.TRACE_FILE, `${url}\n`);
  return nextLoad(url, context);
}
