import type { Client, FeedEvent } from "../client/index.ts";
import { atServer } from "./at-server.ts";
import { EXIT } from "./exit-code.ts";
import type { ExitCode } from "./exit-code.ts";
import { showLive } from "./live-view.ts";
import { isWatched } from "./print.ts";
import type { ReachFlags, Surroundings } from "./surroundings.ts";
import { moveText } from "./task-table.ts";
import { jsonText } from "./terminal-text.ts";

export type Watching = ReachFlags & {
  lifecycle?: string;
  project?: string;
  after?: number;
  count?: number;
  lines?: true;
  json?: true;
};

/** `pawl watch`: a view that keeps itself up to date in a terminal; a line for each event elsewhere. */
export function watchTasks(surroundings: Surroundings, watching: Watching): Promise<ExitCode> {
  const { out, untilStopped } = surroundings;
  const { json, lines, after, count } = watching;
  const stopping = new AbortController();
  const stop = () => {
    stopping.abort();
  };
  void untilStopped().then(stop);
  out.closed.addEventListener("abort", stop);
  const wantsLines = json ?? lines ?? (after !== undefined || count !== undefined);
  return atServer(surroundings, watching, async ({ client, place }) => {
    // A stream comes back for ever to a server that is not there, and whoever mistyped an address would never know.
    await client.getMe(undefined, { signal: stopping.signal }).catch((error: unknown) => {
      if (!stopping.signal.aborted) throw error;
    });
    if (wantsLines || !isWatched(out)) await tellLines(client, surroundings, watching, stopping.signal);
    else await showLive({ client, place, watching, surroundings, signal: stopping.signal });
    return EXIT.fine;
  });
}

async function tellLines(
  client: Client,
  { out, err }: Surroundings,
  { lifecycle, project, after, count = Infinity, json }: Watching,
  signal: AbortSignal,
): Promise<void> {
  const { dim } = err.colours;
  let lost = false;
  const onConnection = (state: "open" | "lost") => {
    if (state === "lost") err.write(dim("The connection is lost; it is made again.\n"));
    else if (lost) err.write(dim("The connection stands again; nothing was missed.\n"));
    lost = state === "lost";
  };
  let told = 0;
  for await (const event of client.events({ lifecycle, project_id: project, after, signal, onConnection })) {
    out.write(json ? `${jsonText(event)}\n` : `${eventLine(event, out.colours)}\n`);
    if (++told >= count) return;
  }
}

type Colours = Surroundings["out"]["colours"];

/** What happened, in one line. */
function eventLine(event: FeedEvent, { bold, cyan, dim }: Colours): string {
  const { created_at, lifecycle, task_id, action, actor_id } = event;
  const by = dim(`by ${actor_id ?? "system"}`);
  return `${dim(created_at)} ${cyan(task_id)} ${lifecycle} ${bold(action)} ${moveText(event)} ${by}`;
}
