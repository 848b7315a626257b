import { onWire, onWireOrNull } from "../../api/index.ts";
import { isRefusal } from "../../core/index.ts";
import type { Instant, Refusal } from "../../core/index.ts";
import { findTasks, publicTask, readClock, taskOf, visibleProjects, wrongField } from "../../plugin/index.ts";
import type { Caller, Engine, Tx } from "../../plugin/index.ts";
import { findLateness } from "./find-lateness.ts";
import { ATTENTION_KINDS } from "./lead-shapes.ts";
import type { AttentionGroup, AttentionItem, AttentionKind } from "./lead-shapes.ts";
import { taskOnWire } from "./on-wire.ts";
import { pageOf } from "./service.ts";
import { readAttention } from "./sql/read-attention.ts";
import type { AttentionItemRow, ItemPage } from "./sql/read-attention.ts";
import { readDueAfter } from "./sql/read-open-blockers.ts";

export type AttentionQuery = {
  project_id: string | null;
  kinds: readonly AttentionKind[];
  cursor: string | null;
  limit: number;
};

/** Reads what needs a lead, with one statement per kind; tasks that will be late need their blockers as well. */
export class AttentionService {
  private readonly engine: Engine;

  constructor(engine: Engine) {
    this.engine = engine;
  }

  async read(
    { org_id, actor }: Caller,
    { project_id, kinds, cursor, limit }: AttentionQuery,
  ): Promise<AttentionGroup[] | Refusal> {
    const after = parseCursor(cursor, kinds);
    if (after !== null && isRefusal(after)) return after;
    const page = { projects: visibleProjects(actor, project_id), after, limit: limit + 1 };
    const listed = ATTENTION_KINDS.filter((kind) => kinds.includes(kind));
    return this.engine.transaction((tx) =>
      Promise.all(
        listed.map(async (kind) => {
          const { total, rows } =
            kind === "will_be_late"
              ? await readFutureLate(tx, org_id, page)
              : await readAttention(tx, org_id, kind, page);
          const shown = pageOf(rows, limit, ({ since, item_id }) => `${since}.${item_id}`);
          const items = shown.rows.map((row) => itemOnWire(kind, row));
          return { kind, count: total, items, cursor: shown.cursor };
        }),
      ),
    );
  }
}

type FutureLate = AttentionItemRow & { ready_at?: Instant };

/** Reads the tasks that will be late. The longest chain of estimates is found here; only the page is read as a whole. */
async function readFutureLate(
  tx: Tx,
  org_id: string,
  { projects, after, limit }: ItemPage,
): Promise<{ total: number; rows: FutureLate[] }> {
  const due = await readDueAfter(tx, org_id, projects, await readClock(tx));
  const lateness = await findLateness(tx, org_id, due);
  const late = due.filter(({ id }) => lateness.get(id)?.state === "will_be_late");
  const isAfter = ({ due_at, id }: { due_at: Instant; id: string }) =>
    after === null || due_at > after.since || (due_at === after.since && id > after.item_id);
  const page = late.filter(isAfter).slice(0, limit);
  const ids = page.map(({ id }) => id);
  const tasks = new Map((await findTasks(tx, org_id, ids)).map((row) => [row.id, row]));
  const rows = page.flatMap(({ id, due_at }): FutureLate[] => {
    const [task, found] = [tasks.get(id), lateness.get(id)];
    if (!task || !found) return [];
    const item = { item_id: id, since: due_at, by: task.assigned_to, ready_at: found.ready_at };
    return [{ ...task, ...item, reason: null, text: null, source_id: null, source_title: null }];
  });
  return { total: late.length, rows };
}

function itemOnWire(kind: AttentionKind, row: FutureLate): AttentionItem {
  const { item_id, since, by, reason, text, source_id, source_title, ready_at = null } = row;
  return {
    id: item_id,
    kind,
    since: onWire(since),
    by,
    reason,
    text,
    escalation_id: kind === "escalation" ? source_id : null,
    hold_id: kind === "held" ? source_id : null,
    ready_at: onWireOrNull(ready_at),
    blocker: kind === "blocked" && source_id !== null ? { id: source_id, title: source_title ?? "" } : null,
    task: taskOnWire(publicTask(taskOf(row, undefined))),
  };
}

function parseCursor(
  cursor: string | null,
  kinds: readonly AttentionKind[],
): { since: Instant; item_id: string } | null | Refusal {
  if (cursor === null) return null;
  if (kinds.length !== 1) return wrongField("cursor", "needs exactly one `kind`");
  const [, since = "", item_id = ""] = /^(\d{1,15})\.([0-9a-f.-]{36,73})$/.exec(cursor) ?? [];
  return item_id === "" ? wrongField("cursor", "is invalid") : { since: Number(since), item_id };
}
