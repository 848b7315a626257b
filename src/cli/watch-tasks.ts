import type { Client, FeedEvent } from "../client/index.ts";
import { atServer } from "./at-server.ts";
import { EXIT } from "./exit-code.ts";
import type { ExitCode } from "./exit-code.ts";
import { showLive } from "./live-view.ts";
import { isTty } from "./print.ts";
import type { ConnectFlags, CliEnvironment } from "./cli-environment.ts";
import { stopSignal } from "./stop-signal.ts";
import { moveText } from "./task-table.ts";
import { jsonText } from "./terminal-text.ts";

export type WatchOptions = ConnectFlags & {
  lifecycle?: string;
  project?: string;
  after?: number;
  count?: number;
  lines?: true;
  json?: true;
};

/** `pawl watch`: a live view in a terminal, one line per event in a pipe. */
export function watchTasks(environment: CliEnvironment, options: WatchOptions): Promise<ExitCode> {
  const { out } = environment;
  const { json, lines, after, count } = options;
  const signal = stopSignal(environment);
  const wantsLines = json ?? lines ?? (after !== undefined || count !== undefined);
  return atServer(environment, options, async ({ client, target }) => {
    // A stream reconnects forever, so check the address and the token once before.
    await client.getMe(undefined, { signal }).catch((error: unknown) => {
      if (!signal.aborted) throw error;
    });
    // A stream of a project that does not exist would stay silent forever.
    if (options.project !== undefined) await client.getProject({ id: options.project });
    if (wantsLines || !isTty(out)) await printLines(client, environment, options, signal);
    else await showLive({ client, target, watching: options, environment, signal });
    return EXIT.fine;
  });
}

async function printLines(
  client: Client,
  { out, err }: CliEnvironment,
  { lifecycle, project, after, count = Infinity, json }: WatchOptions,
  signal: AbortSignal,
): Promise<void> {
  const { dim } = err.colours;
  let lost = false;
  const onConnection = (state: "open" | "lost") => {
    if (state === "lost") err.write(dim("Connection lost; reconnecting.\n"));
    else if (lost) err.write(dim("Reconnected; no event was missed.\n"));
    lost = state === "lost";
  };
  let printed = 0;
  for await (const event of client.events({ lifecycle, project_id: project, after, signal, onConnection })) {
    out.write(json ? `${jsonText(event)}\n` : `${eventLine(event, out.colours)}\n`);
    if (++printed >= count) return;
  }
}

type Colours = CliEnvironment["out"]["colours"];

/** Formats an event in one line. */
function eventLine(event: FeedEvent, { bold, cyan, dim }: Colours): string {
  const { created_at, lifecycle, task_id, action, actor_id } = event;
  const by = dim(`by ${actor_id ?? "system"}`);
  return `${dim(created_at)} ${cyan(task_id)} ${lifecycle} ${bold(action)} ${moveText(event)} ${by}`;
}
