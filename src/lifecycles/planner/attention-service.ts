import { onWire } from "../../api/index.ts";
import { isRefusal } from "../../core/index.ts";
import type { Instant, Refusal } from "../../core/index.ts";
import { publicTask, taskOf, visibleProjects, wrongField } from "../../plugin/index.ts";
import type { Caller, Engine } from "../../plugin/index.ts";
import { ATTENTION_KINDS } from "./lead-shapes.ts";
import type { AttentionGroup, AttentionItem, AttentionKind } from "./lead-shapes.ts";
import { taskOnWire } from "./on-wire.ts";
import { pageOf } from "./service.ts";
import { readAttention } from "./sql/read-attention.ts";
import type { AttentionItemRow } from "./sql/read-attention.ts";

export type AttentionQuery = {
  project_id: string | null;
  kinds: readonly AttentionKind[];
  cursor: string | null;
  limit: number;
};

/** Reads what needs a lead, with one statement per kind. */
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
          const { total, rows } = await readAttention(tx, org_id, kind, page);
          const shown = pageOf(rows, limit, ({ since, item_id }) => `${since}.${item_id}`);
          const items = shown.rows.map((row) => itemOnWire(kind, row));
          return { kind, count: total, items, cursor: shown.cursor };
        }),
      ),
    );
  }
}

function itemOnWire(kind: AttentionKind, row: AttentionItemRow): AttentionItem {
  const { item_id, since, by, reason, text, source_id, source_title } = row;
  return {
    id: item_id,
    kind,
    since: onWire(since),
    by,
    reason,
    text,
    escalation_id: kind === "escalation" ? source_id : null,
    hold_id: kind === "held" ? source_id : null,
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
