import { createHash } from "node:crypto";
import {
  atServer,
  count,
  EXIT,
  isTty,
  oneLine,
  print,
  progressBar,
  readTextFile,
  shortId,
  textTable,
} from "../../../plugin/index.ts";
import type { CliEnvironment, ConnectFlags, ExitCode } from "../../../plugin/index.ts";
import { PawlProblem } from "../../../client/index.ts";
import type { Client } from "../../../client/index.ts";
import { BOARD_ROUTES } from "../api.ts";
import { readBoardFile } from "./board-file.ts";
import type { FileTask } from "./board-file.ts";

const CONCURRENCY = 8;

export type CreateFlags = ConnectFlags & {
  json?: true;
  file: string;
  workspace?: string;
  run?: string;
  encoding?: string;
};

/** The result of one task of the file. */
type Row = { line: number; title: string; id: string | null; code: string | null; detail: string | null };

/** `pawl board create --file`: creates the tasks of a file one by one. A refused task does not stop the others. */
export async function createFromFile(environment: CliEnvironment, options: CreateFlags): Promise<ExitCode> {
  const { out, err } = environment;
  const { encoding, json } = options;
  const { name, text } = await readTextFile(options.file, encoding === undefined ? {} : { encoding });
  const tasks = await readBoardFile(name, text);
  return atServer(environment, options, async ({ client }) => {
    const bar = progressBar(err, "tasks");
    const rows = await createAll(client, tasks, options, (done) => {
      bar.show({ done, all: tasks.length });
    }).finally(bar.end);
    rows.sort((one, other) => one.line - other.line);
    const created = rows.filter(({ id }) => id !== null).length;
    const refused = rows.length - created;
    const summary = `${count(created, "task")} created${refused === 0 ? "." : `, ${refused} refused. Correct them and repeat: what exists is not created again.`}`;
    const cells = rows.map(({ line, id, code, detail, title }) => [
      String(line),
      id === null ? (code ?? "") : isTty(out) ? shortId(id) : id,
      oneLine(detail ?? title),
    ]);
    const table = () => `${textTable(["LINE", "RESULT", "TITLE OR REASON"], cells, out)}\n${summary}`;
    print(out, { json, value: { created, refused, rows }, text: table });
    return refused === 0 ? EXIT.fine : EXIT.refused;
  });
}

/** Creates tasks, several at a time; each after those that it waits for. */
async function createAll(
  client: Client,
  tasks: readonly FileTask[],
  { workspace, run = "" }: Pick<CreateFlags, "workspace" | "run">,
  onProgress: (done: number) => void,
): Promise<Row[]> {
  const rows: Row[] = [];
  const byRef = new Map<string, Promise<Row>>();
  const seen = new Map<string, number>();
  const create = async (task: FileTask, free: Promise<unknown>): Promise<Row> => {
    const { line, ref: _, blocked_by: named = [], ...fields } = task;
    const blockers = await Promise.all(named.map(async (name) => await byRef.get(name)));
    const failed = blockers.find((blocker) => blocker?.id === null);
    if (failed)
      return refusedRow(
        task,
        "BLOCKER_REFUSED",
        `The task of line ${failed.line}, which it waits for, was refused.`,
      );
    await free;
    const blocked_by = named.map((name, index) => blockers[index]?.id ?? name);
    const body = { ...fields, blocked_by, workspace_id: workspace };
    // From the contents: a repeat creates only what is new. Equal tasks of a file are counted.
    const contents = JSON.stringify([run, body]);
    const copy = (seen.get(contents) ?? 0) + 1;
    seen.set(contents, copy);
    const hash = createHash("sha256").update(`${contents} ${copy}`).digest("hex");
    try {
      const { id } = await client
        .calls(BOARD_ROUTES)
        .createBoardTask({ ...body, client_event_id: `file-${hash}` });
      return { line, title: task.title, id, code: null, detail: null };
    } catch (error) {
      if (!(error instanceof PawlProblem) || !REFUSED.has(error.status)) throw error;
      return refusedRow(task, error.code, error.detail);
    }
  };
  const lanes: Promise<unknown>[] = [];
  const all = tasks.map((task, index) => {
    // A task waits for the one that is CONCURRENCY places before it, and for its blockers, which come earlier.
    const row = create(task, lanes[index - CONCURRENCY] ?? Promise.resolve()).then((done) => {
      rows.push(done);
      onProgress(rows.length);
      return done;
    });
    lanes.push(row);
    if (task.ref !== undefined) byRef.set(task.ref, row);
    return row;
  });
  const [failure] = (await Promise.allSettled(all)).filter(({ status }) => status === "rejected");
  if (failure) throw (failure as PromiseRejectedResult).reason;
  return rows;
}

const REFUSED = new Set([403, 404, 409, 422]);

function refusedRow({ line, title }: FileTask, code: string, detail: string): Row {
  return { line, title, id: null, code, detail };
}
