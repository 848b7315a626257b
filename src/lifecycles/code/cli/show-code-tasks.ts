import type { ReplyOf } from "../../../api/index.ts";
import {
  atServer,
  EXIT,
  findTaskId,
  graphText,
  isTty,
  jsonText,
  oneLine,
  print,
  relativeTime,
  shortId,
  stopSignal,
  formatDuration,
  textTable,
} from "../../../plugin/index.ts";
import type { ExitCode, ConnectFlags, Screen, CliEnvironment } from "../../../plugin/index.ts";
import { CODE_ROUTES } from "../api.ts";
import type { CodeRun, CodeTask } from "../api.ts";
import { readableLines } from "../last-line.ts";
import { costText, usageText } from "./usage.ts";

type Flags = ConnectFlags & { json?: true };

/** `pawl code list` */
export function listCodeTasks(
  environment: CliEnvironment,
  { status, project, limit, ...flags }: Flags & { status?: string[]; project?: string; limit: number },
): Promise<ExitCode> {
  const { out, now } = environment;
  return atServer(environment, flags, async ({ client }) => {
    const query = { status: status as CodeTask["status"][] | undefined, project_id: project, limit };
    const { tasks, cursor } = await client.calls(CODE_ROUTES).listCodeTasks(query);
    return print(out, {
      json: flags.json,
      value: { tasks, more: cursor !== null },
      text: () => (tasks.length === 0 ? "No tasks found." : tableOf(tasks, out, now())),
    });
  });
}

function tableOf(tasks: readonly CodeTask[], out: Screen, now: number): string {
  const id = (task: CodeTask) => (isTty(out) ? shortId(task.id) : task.id);
  const rows = tasks.map((task) => [
    id(task),
    task.status,
    `${task.attempts}/${task.max_attempts}`,
    task.worker ?? "",
    costText(task.usage),
    isTty(out) ? relativeTime(now, task.entered_at) : task.entered_at,
    oneLine(task.title),
    oneLine(remarkOn(task)),
  ]);
  return textTable(["ID", "STATUS", "TRIES", "WORKER", "COST", "SINCE", "TITLE", ""], rows, out);
}

function remarkOn(task: CodeTask): string {
  const {
    status,
    commit,
    last_error,
    blocked_reason,
    blocked_by,
    stuck,
    held,
    budget_spent,
    review_request,
  } = task;
  if (status === "completed") return commit?.slice(0, 10) ?? "";
  if (held && status !== "blocked") return budget_spent ?? "paused";
  if (status === "review") return review_request?.pull_request ?? review_request?.branch ?? "";
  if (status === "ready" && review_request?.state === "approved") return "approved, to be merged";
  if (status === "blocked") {
    const open = blocked_by.filter(({ resolved }) => !resolved).map(({ task_id }) => shortId(task_id));
    return blocked_reason ?? (open.length === 0 ? "" : `waits for ${open.join(", ")}`);
  }
  if (stuck) return "running for too long";
  return firstLine(last_error ?? "");
}

function firstLine(text: string): string {
  return text.split("\n", 1)[0] ?? "";
}

/** `pawl code show <id>` */
export function showCodeTask(
  environment: CliEnvironment,
  { id: typed, ...flags }: Flags & { id: string },
): Promise<ExitCode> {
  const { out, now } = environment;
  return atServer(environment, flags, async ({ client }) => {
    const task = await client.calls(CODE_ROUTES).getCodeTask({ id: await findTaskId(client, typed) });
    return print(out, { json: flags.json, value: task, text: () => pageOf(task, out, now()) });
  });
}

type TaskDetails = ReplyOf<typeof CODE_ROUTES.getCodeTask>;

function pageOf(task: TaskDetails, out: Screen, now: number): string {
  const { bold, dim, yellow } = out.colours;
  const facts: [string, string | null][] = [
    ["id", task.id],
    ["status", `${task.status} ${relativeTime(now, task.entered_at)}`],
    ["attempts", `${task.attempts} of ${task.max_attempts} used`],
    ["used", usageText(task.usage)],
    ["worker", task.worker],
    ["repository", task.repository],
    ["branch", task.status === "completed" ? null : task.branch],
    ["worktree", task.status === "completed" ? null : task.worktree],
    ["commit", task.commit],
    [
      "waits for",
      task.blocked_by.map((one) => `${one.title ?? one.task_id} (${one.status})`).join(", ") || null,
    ],
    ["reason", task.blocked_reason],
    ["review", reviewText(task)],
    ["retry of", task.retry_of],
    ["last error", task.last_error],
  ];
  const lines = facts.flatMap(([name, text]) => (text === null ? [] : [`${dim(name.padEnd(12))}${text}`]));
  const runs = task.runs.map((run) => runRow(run, now));
  return [
    bold(oneLine(task.title)),
    ...lines,
    ...(task.held ? [yellow("On hold.")] : []),
    ...(task.needs_attention ? [yellow("Needs attention.")] : []),
    ...(task.description ? ["", task.description] : []),
    ...(task.acceptance ? ["", bold("Acceptance"), task.acceptance] : []),
    ...(runs.length === 0
      ? []
      : ["", textTable(["RUN", "WORKER", "AGENT", "COST", "STARTED", "TOOK", "OUTCOME", ""], runs, out)]),
    ...(task.log === "" ? [] : ["", dim("End of the output:"), ...readableLines(task.log).slice(-10)]),
  ].join("\n");
}

function reviewText({ review_request: review }: CodeTask): string | null {
  if (review === null) return null;
  const words = {
    waiting: "waits",
    approved: "approved",
    changes: "changes requested",
    redo: "to be redone",
  };
  const parts = [words[review.state], review.commit.slice(0, 12), review.branch, review.pull_request];
  return parts.filter((part) => part !== null).join("  ");
}

function runRow(
  { run, worker, agent, usage, started_at, ended_at, outcome, error, commit }: CodeRun,
  now: number,
): string[] {
  const until = ended_at === null ? now : Date.parse(ended_at);
  return [
    String(run),
    worker ?? "",
    agent ?? "",
    usage === null ? "" : costText(usage),
    relativeTime(now, started_at),
    formatDuration(until - Date.parse(started_at)),
    outcome ?? "in progress",
    oneLine((error ?? commit ?? "").split("\n", 1)[0] ?? ""),
  ];
}

/** `pawl code log <id>`: prints the output of an attempt; with --follow also new output. */
export function readCodeLog(
  environment: CliEnvironment,
  { id: typed, run, follow, ...flags }: Flags & { id: string; run?: number; follow?: true },
): Promise<ExitCode> {
  const { out } = environment;
  return atServer(environment, flags, async ({ client }) => {
    const calls = client.calls(CODE_ROUTES);
    const id = await findTaskId(client, typed);
    if (!follow) {
      const text = await calls.readCodeLog({ id, run });
      out.write(flags.json ? `${jsonText({ task_id: id, log: text })}\n` : text);
      return EXIT.fine;
    }
    for await (const { run: runOfText, text, created_at } of calls.streamCodeOutput(
      { id, after: 0 },
      { signal: stopSignal(environment) },
    ))
      if (run === undefined || runOfText === run)
        out.write(flags.json ? `${jsonText({ run: runOfText, text, created_at })}\n` : text);
    return EXIT.fine;
  });
}

/** `pawl code graph` */
export function drawCodeGraph(
  environment: CliEnvironment,
  { project, open, ...flags }: Flags & { project?: string; open?: true },
): Promise<ExitCode> {
  const { out } = environment;
  return atServer(environment, flags, async ({ client }) => {
    const graph = await client.calls(CODE_ROUTES).getCodeGraph({ project_id: project, finished: !open });
    const { cyan, dim } = out.colours;
    const show = ({ id, title, status }: (typeof graph)["nodes"][number]) =>
      `${oneLine(title)}  ${cyan(isTty(out) ? shortId(id) : id)} ${dim(status)}`;
    return print(out, {
      json: flags.json,
      value: graph,
      text: () =>
        graph.nodes.length === 0
          ? "There are no tasks."
          : graphText(graph.nodes, graph.edges, show as Parameters<typeof graphText>[2]) +
            (graph.more ? `\n${dim("Older tasks are not shown.")}` : ""),
    });
  });
}
