import { isRefusal } from "../../../core/index.ts";
import { existsSync } from "node:fs";
import { delimiter, join } from "node:path";
import { createClient } from "../../../client/index.ts";
import type { Client } from "../../../client/index.ts";
import { atServer, EXIT, Fault, isWatched, jsonText, openCanvas } from "../../../plugin/index.ts";
import type { ExitCode, ReachFlags, Surroundings } from "../../../plugin/index.ts";
import { CODE_ROUTES } from "../api.ts";
import { CLAUDE_SANDBOX_PROGRAMS, CODEX_AGENT, DEFAULT_AGENT, wordsOf } from "../worker/agent-command.ts";
import { behindOf } from "../worker/checkouts.ts";
import type { Behind } from "../worker/checkouts.ts";
import type { Repository } from "../worker/repository.ts";
import { startCodeWorker } from "../worker/start-code-worker.ts";
import type { CodeWorker, CodeWorkerEvent } from "../worker/start-code-worker.ts";
import { eventLine, RunView } from "./run-view.ts";
import type { Counts } from "./run-view.ts";
import { workerToken } from "./worker-token.ts";
import { asUsage, opened } from "./worktrees.ts";

export type Running = ReachFlags & {
  json?: true;
  repo: string;
  workers: number;
  agent: string;
  verify?: string;
  target?: string;
  worktrees?: string;
  project?: string;
  timeout: number;
  grace: number;
  hooks: boolean;
  untilDone?: true;
  lines?: true;
};

const COUNT_EVERY_MS = 2_000;
const DRAW_EVERY_MS = 250;

/** `pawl code run`: claims tasks and runs an agent on each, in a worktree of its own, until it is stopped. */
export function runAgents(surroundings: Surroundings, running: Running): Promise<ExitCode> {
  return atServer(surroundings, running, async ({ client, place }) => {
    const { repo: path, target, worktrees: folder, project, verify = null, agent, hooks } = running;
    refuseMissing(agent);
    const repository = await opened({ path, target, folder });
    const { token, letGo } = await workerToken(client, place, repository.folder);
    tellBehind(surroundings, repository.target, await behindOf(repository));
    const calls = client.calls(CODE_ROUTES);
    const counts = () => calls.getCodeSummary({ project_id: project });
    const screen = showRun(surroundings, repository, running);
    screen.count(await counts());
    const recount = async () => {
      const now = await counts().catch(() => null);
      if (now === null) return;
      screen.count(now);
      if (running.untilDone && isDone(now) && worker.running === 0) void worker.stop();
    };
    const worker = startCodeWorker({
      client: createClient({ url: place.url, token }),
      repository,
      rules: {
        agent,
        verify,
        hooks,
        timeoutMs: running.timeout * 60_000,
        url: place.url,
        from: process.cwd(),
      },
      workers: running.workers,
      project_id: project,
      graceMs: running.grace * 1_000,
      onEvent: (event) => {
        screen.hear(event);
        if (event.kind === "claimed" || event.kind === "finished") void recount();
      },
    });
    const counting = setInterval(() => void recount(), COUNT_EVERY_MS);
    try {
      await untilOver(surroundings, worker, screen);
      screen.close();
      tellBehind(surroundings, repository.target, await behindOf(repository));
      return await verdict(worker, client, project, running);
    } finally {
      clearInterval(counting);
      screen.close();
      await letGo();
    }
  });
}

async function untilOver({ untilStopped }: Surroundings, worker: CodeWorker, screen: Shown): Promise<void> {
  const endAgents = () => {
    void worker.stop({ graceMs: 0 });
  };
  void untilStopped(endAgents).then(() => {
    screen.stopping();
    void worker.stop();
  });
  await worker.finished;
}

async function verdict(
  worker: CodeWorker,
  client: Client,
  project_id: string | undefined,
  { untilDone }: Running,
): Promise<ExitCode> {
  const trouble = worker.trouble();
  if (trouble)
    throw new Fault(EXIT.finding, trouble.message, { document: { code: "TROUBLE" }, cause: trouble });
  if (!untilDone) return EXIT.fine;
  const { by_status } = await client.calls(CODE_ROUTES).getCodeSummary({ project_id });
  return by_status.failed > 0 || by_status.blocked > 0 ? EXIT.finding : EXIT.fine;
}

/** Nothing is under way or could be begun: what is left waits for what will not come by itself. */
function isDone({ by_status }: Counts): boolean {
  return ["ready", "claimed", "in_progress"].every((status) => (by_status[status] ?? 0) === 0);
}

/** An agent that is not there would fail every task, one attempt after the other. */
function refuseMissing(agent: string): void {
  const sandbox = agent === DEFAULT_AGENT && process.platform === "linux" ? CLAUDE_SANDBOX_PROGRAMS : [];
  const program = [programOf(agent), ...sandbox].find((one) => !isInstalled(one));
  if (program === undefined) return;
  const isSandbox = sandbox.some((one) => one === program);
  throw new Fault(EXIT.usage, `There is no "${program}" here.`, {
    more: [
      ...(isSandbox ? ["Claude Code's sandbox needs it: apt install bubblewrap socat."] : []),
      `Install it, or name another agent: --agent "${CODEX_AGENT}".`,
    ],
    document: { code: "NO_AGENT", program },
  });
}

function isInstalled(program: string): boolean {
  const places = program.includes("/") ? [""] : (process.env.PATH ?? "").split(delimiter);
  const endings = process.platform === "win32" ? ["", ".exe", ".cmd", ".bat"] : [""];
  return places.some((place) => endings.some((ending) => existsSync(join(place, program) + ending)));
}

function programOf(agent: string): string {
  try {
    return wordsOf(agent)[0] ?? "";
  } catch (error) {
    throw asUsage(error, "INVALID_AGENT");
  }
}

/** Whoever has the branch checked out must not take the merged work for changes of his own. */
function tellBehind({ err }: Surroundings, target: string, behind: readonly Behind[]): void {
  for (const { path } of behind)
    err.write(
      err.colours.yellow(
        `${target} has moved on, and your files in ${path} are as they were: git shows the merged work as deleted there, and a commit would undo it.\nTo bring them along, with changes of your own kept: pawl code catch-up --repo ${quoted(path)}\n`,
      ),
    );
}

/** As a shell takes it for one word. */
function quoted(path: string): string {
  return /^[\w./-]+$/.test(path) ? path : `'${path.replaceAll("'", "'\\''")}'`;
}

type Shown = {
  hear: (event: CodeWorkerEvent) => void;
  count: (counts: Counts) => void;
  stopping: () => void;
  close: () => void;
};

function showRun(surroundings: Surroundings, repository: Repository, running: Running): Shown {
  const { out, now } = surroundings;
  out.keepGoing(running.json ? reportAsJson : undefined);
  if (running.json) return tellJson(surroundings);
  if (running.lines || !isWatched(out)) return tellLines(surroundings);
  return drawLive(surroundings, new RunView({ ...repository, workers: running.workers }, now()));
}

function drawLive({ out, now }: Surroundings, view: RunView): Shown {
  const canvas = openCanvas(out);
  const draw = () => {
    canvas.draw(view.frame(out, now()));
  };
  const timer = setInterval(draw, DRAW_EVERY_MS);
  let open = true;
  draw();
  return {
    hear: (event) => {
      view.hear(event, now());
    },
    count: (counts) => {
      view.counts = counts;
    },
    stopping: () => {
      view.stopping = true;
    },
    close: () => {
      clearInterval(timer);
      if (open) canvas.close();
      // What was seen last stays to be read.
      if (open)
        out.write(`${view.frame({ ...out, rows: Infinity, columns: out.columns }, now()).join("\n")}\n`);
      open = false;
    },
  };
}

function tellLines({ out }: Surroundings): Shown {
  return {
    hear: (event) => {
      const line = eventLine(event);
      if (line !== null) out.write(`${new Date().toISOString()} ${line}\n`);
    },
    count: () => undefined,
    stopping: () => {
      out.write(`${new Date().toISOString()} stopping: agents may finish; Ctrl-C again ends them\n`);
    },
    close: () => undefined,
  };
}

function tellJson({ out }: Surroundings): Shown {
  return {
    hear: (event) => {
      const { kind, ...about } = event;
      const told = "task" in about ? { ...about, task_id: about.task.id, status: about.task.status } : about;
      out.write(
        `${jsonText({ at: new Date().toISOString(), event: kind, ...told, error: errorOf(event) })}\n`,
      );
    },
    count: () => undefined,
    stopping: () => undefined,
    close: () => undefined,
  };
}

function reportAsJson(dropped: number, reason: string): string {
  return `${jsonText({ at: new Date().toISOString(), event: "dropped", lines: dropped, error: reason })}\n`;
}

function errorOf(event: CodeWorkerEvent): string | undefined {
  if (event.kind === "retried") return event.error;
  if (event.kind === "failed") return event.failure.message;
  if (isRefusal(event)) return event.problem.detail;
  if (event.kind === "unreachable" || event.kind === "renewal_failed") return (event.error as Error).message;
  return event.kind === "lost" ? event.why : undefined;
}
