import { isRefusal } from "../../../core/index.ts";
import { createClient } from "../../../client/index.ts";
import { atServer, EXIT, CliError, isTty, jsonText, openCanvas } from "../../../plugin/index.ts";
import type { ExitCode, ConnectFlags, CliEnvironment } from "../../../plugin/index.ts";
import { CODE_ROUTES } from "../api.ts";
import { outdatedCheckouts } from "../worker/user-checkouts.ts";
import type { OutdatedCheckout } from "../worker/user-checkouts.ts";
import type { MergeStrategy } from "../worker/merge-work.ts";
import { openRemote } from "../worker/publish.ts";
import type { Remote } from "../worker/publish.ts";
import type { Repository } from "../worker/repository.ts";
import { startCodeWorker } from "../worker/start-code-worker.ts";
import type { CodeWorkerEvent } from "../worker/code-worker-options.ts";
import type { CodeWorker } from "../worker/start-code-worker.ts";
import { setupOf } from "./read-setup.ts";
import type { SetupOptions } from "./setup-options.ts";
import { checkAgent, isInstalled } from "./check-agent.ts";
import { eventLine, RunView } from "./run-view.ts";
import type { Counts } from "./run-view.ts";
import { readKeys } from "./read-keys.ts";
import { RunControls } from "./run-controls.ts";
import type { TaskControls } from "./run-controls.ts";
import { taskControls } from "./task-controls.ts";
import { workerToken } from "./worker-token.ts";
import { asUsageFault, openRepositoryOrFault } from "./worktrees.ts";

export type RunOptions = RunFlags & SetupOptions;

type RunFlags = ConnectFlags & {
  json?: true;
  repo: string;
  workers: number;
  agent: string;
  allowEverything?: true;
  verify?: string;
  target?: string;
  worktrees?: string;
  project?: string;
  timeout: number;
  grace: number;
  hooks: boolean;
  merge?: MergeStrategy;
  push?: string;
  pullRequests?: true;
  untilDone?: true;
  lines?: true;
};

const COUNT_INTERVAL_MS = 2_000;
const DRAW_INTERVAL_MS = 250;

/** `pawl code run`: claims tasks and runs an agent on each in its own worktree, until it is stopped. */
export function runAgents(environment: CliEnvironment, options: RunOptions): Promise<ExitCode> {
  return atServer(environment, options, async ({ client, target: server }) => {
    const { repo: path, target, worktrees: folder, project, verify = null, agent, hooks } = options;
    checkAgent(options);
    const repository = await openRepositoryOrFault({ path, target, folder });
    const setup = await setupOf(environment, repository, options);
    const { token, revoke } = await workerToken(client, server, repository.folder);
    warnOutdated(environment, repository.target, await outdatedCheckouts(repository));
    const calls = client.calls(CODE_ROUTES);
    const remote = await remoteOf(repository, options);
    const counts = () => calls.getCodeSummary({ project_id: project, repository: repository.name });
    const screen = openDisplay(environment, repository, options, taskControls(client, repository));
    screen.count(await counts());
    const recount = async () => {
      const now = await counts().catch(() => null);
      if (now === null) return;
      screen.count(now);
      if (options.untilDone && isDone(now) && worker.running === 0) void worker.stop();
    };
    const worker = startCodeWorker({
      client: createClient({ url: server.url, token }),
      repository,
      rules: {
        agent,
        allowEverything: options.allowEverything,
        verify,
        setup,
        hooks,
        merge: options.merge,
        timeoutMs: options.timeout * 60_000,
        url: server.url,
        from: process.cwd(),
      },
      workers: options.workers,
      project_id: project,
      remote,
      diskBudget: options.diskBudget,
      graceMs: options.grace * 1_000,
      onEvent: (event) => {
        screen.onEvent(event);
        if (event.kind === "claimed" || event.kind === "finished") void recount();
      },
    });
    const counting = setInterval(() => void recount(), COUNT_INTERVAL_MS);
    try {
      await untilOver(environment, worker, screen);
      screen.close();
      warnOutdated(environment, repository.target, await outdatedCheckouts(repository));
      return await exitCodeOf(worker, counts, options);
    } finally {
      clearInterval(counting);
      screen.close();
      await revoke();
    }
  });
}

async function untilOver(
  { out, untilStopped }: CliEnvironment,
  worker: CodeWorker,
  screen: RunDisplay,
): Promise<void> {
  const endAgents = () => {
    void worker.stop({ graceMs: 0 });
  };
  const stop = () => {
    screen.stopping();
    void worker.stop();
  };
  void untilStopped(endAgents).then(stop);
  void out.untilClosed().then(stop);
  await worker.finished;
}

/** Opens the remote of --push; --pull-requests needs it and `gh`. */
async function remoteOf(
  repository: Repository,
  { push, pullRequests: opensRequests }: Pick<RunOptions, "push" | "pullRequests">,
): Promise<Remote | null> {
  const pullRequests = opensRequests === true;
  if (pullRequests && push === undefined)
    throw new CliError(EXIT.usage, "--pull-requests requires --push with the name of a remote.");
  if (pullRequests && !isInstalled("gh"))
    throw new CliError(EXIT.usage, '"gh" is not installed.', {
      hints: [
        "Install GitHub's command line, or leave out --pull-requests: branches are pushed all the same.",
      ],
      document: { code: "NO_GH", program: "gh" },
    });
  if (push === undefined) return null;
  return openRemote(repository, push, pullRequests).catch((error: unknown) => {
    throw asUsageFault(error, "NO_REMOTE");
  });
}

async function exitCodeOf(
  worker: CodeWorker,
  counts: () => Promise<Counts>,
  { untilDone }: RunOptions,
): Promise<ExitCode> {
  const failure = worker.failure();
  if (failure)
    throw new CliError(EXIT.finding, failure.message, {
      document: { code: "WORKER_UNUSABLE" },
      cause: failure,
    });
  if (!untilDone) return EXIT.fine;
  const { by_status } = await counts();
  return (by_status.failed ?? 0) > 0 || (by_status.blocked ?? 0) > 0 ? EXIT.finding : EXIT.fine;
}

/** Returns whether no task is in progress or can be claimed; other tasks wait for something that no worker can do. */
function isDone({ by_status, held = 0 }: Counts): boolean {
  const claimable = (by_status.ready ?? 0) - held;
  return claimable <= 0 && ["claimed", "in_progress"].every((status) => (by_status[status] ?? 0) === 0);
}

/** Warns about checkouts of the target: there, git shows merged work as the user's own changes. */
function warnOutdated({ err }: CliEnvironment, target: string, checkouts: readonly OutdatedCheckout[]): void {
  for (const { path } of checkouts)
    err.write(
      err.colours.yellow(
        `${target} has moved, but your files in ${path} have not: git shows the merged work as deleted there, and a commit would undo it.\nTo update them and keep your own changes: pawl code catch-up --repo ${quoted(path)}\n`,
      ),
    );
}

/** Quotes a path for a shell. */
function quoted(path: string): string {
  return /^[\w./-]+$/.test(path) ? path : `'${path.replaceAll("'", "'\\''")}'`;
}

type RunDisplay = {
  onEvent: (event: CodeWorkerEvent) => void;
  count: (counts: Counts) => void;
  stopping: () => void;
  close: () => void;
};

function openDisplay(
  environment: CliEnvironment,
  repository: Repository,
  options: RunOptions,
  controls: TaskControls,
): RunDisplay {
  const { out, now } = environment;
  out.ignoreWriteErrors(options.json ? reportAsJson : undefined);
  if (options.json) return jsonDisplay(environment);
  if (options.lines || !isTty(out)) return lineDisplay(environment);
  return liveDisplay(environment, new RunView({ ...repository, workers: options.workers }, now()), controls);
}

function liveDisplay({ out, now }: CliEnvironment, view: RunView, tasks: TaskControls): RunDisplay {
  const canvas = openCanvas(out);
  // Ctrl-C is a key here, because the terminal is in raw mode.
  const controls = new RunControls(view, tasks, () => process.kill(process.pid, "SIGINT"));
  const endKeys = readKeys((key) => {
    controls.press(key);
    draw();
  });
  const draw = () => {
    canvas.draw((endKeys === null ? view : controls).frame(out, now()));
  };
  const timer = setInterval(draw, DRAW_INTERVAL_MS);
  let open = true;
  draw();
  return {
    onEvent: (event) => {
      view.onEvent(event, now());
    },
    count: (counts) => {
      view.counts = counts;
    },
    stopping: () => {
      view.stopping = true;
    },
    close: () => {
      clearInterval(timer);
      if (open) endKeys?.();
      if (open) canvas.close();
      Object.assign(view, { footer: "", selected: null });
      // The last frame stays on the screen, at full length.
      if (open)
        out.write(`${view.frame({ ...out, rows: Infinity, columns: out.columns }, now()).join("\n")}\n`);
      open = false;
    },
  };
}

function lineDisplay({ out }: CliEnvironment): RunDisplay {
  let spent: string | null = null;
  return {
    onEvent: (event) => {
      const line = eventLine(event);
      if (line !== null) out.write(`${new Date().toISOString()} ${line}\n`);
    },
    count: ({ budget_spent = null }) => {
      if (budget_spent !== null && budget_spent !== spent)
        out.write(`${new Date().toISOString()} no new task: ${budget_spent}\n`);
      spent = budget_spent;
    },
    stopping: () => {
      out.write(
        `${new Date().toISOString()} stopping: agents may finish; press Ctrl-C again to stop them now\n`,
      );
    },
    close: () => undefined,
  };
}

function jsonDisplay({ out }: CliEnvironment): RunDisplay {
  return {
    onEvent: (event) => {
      const { kind, ...fields } = event;
      const details =
        "task" in fields ? { ...fields, task_id: fields.task.id, status: fields.task.status } : fields;
      out.write(
        `${jsonText({ at: new Date().toISOString(), event: kind, ...details, error: errorOf(event) })}\n`,
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
  if (
    ["unreachable", "renewal_failed", "push_failed", "over_budget"].includes(event.kind) &&
    "error" in event
  )
    return (event.error as Error).message;
  return event.kind === "lost" ? event.why : undefined;
}
