import { v7 as uuidv7 } from "uuid";
import { isRefusal, refuse } from "../../core/index.ts";
import type { Refusal } from "../../core/index.ts";
import { readClock, useCustomPlans, withIdempotencyKey, wrongField } from "../../plugin/index.ts";
import type { Caller, Engine, IdempotentResult, Tx } from "../../plugin/index.ts";
import { isUuid } from "../../std/uuid.ts";
import { expandPattern } from "./expand-patterns.ts";
import { pageOf } from "./service.ts";
import { findNonMember } from "./shift-service.ts";
import { versionRefusal } from "./shift-version.ts";
import { listPatterns, lockPattern, removeUpcoming, savePattern } from "./sql/shift-patterns.ts";
import type { PatternFilter, ShiftPattern } from "./sql/shift-patterns.ts";

type ServerMade =
  "id" | "project_id" | "expanded_through" | "row_version" | "created_by" | "created_at" | "ended_at";
export type PatternFields = Omit<ShiftPattern, ServerMade>;

/** A pattern, and what a request did to its shifts. */
export type PatternResult = { pattern: ShiftPattern; added: number; removed: number };

/** The operations on recurring patterns of shifts. */
export class ShiftPatternService {
  private readonly engine: Engine;

  constructor(engine: Engine) {
    this.engine = engine;
  }

  create(caller: Caller, project_id: string, fields: PatternFields, key: string | null) {
    return this.withKey(caller, key, ["create shift pattern", project_id, fields], async (tx) => {
      const now = await readClock(tx);
      const pattern: ShiftPattern = {
        id: uuidv7(),
        project_id,
        ...fields,
        expanded_through: fields.from_date,
        row_version: 1,
        created_by: caller.actor.id,
        created_at: now,
        ended_at: null,
      };
      return save(tx, caller, pattern, 0);
    });
  }

  list({ org_id }: Caller, filter: PatternFilter) {
    return this.engine.transaction(async (tx) => {
      await useCustomPlans(tx);
      const rows = await listPatterns(tx, org_id, { ...filter, limit: filter.limit + 1 });
      return pageOf(rows, filter.limit, ({ id }) => id);
    });
  }

  find(caller: Caller, id: string): Promise<ShiftPattern | Refusal> {
    return this.engine.transaction((tx) => findPattern(tx, caller, id));
  }

  /** Changes a pattern, and makes its coming shifts again. Shifts that have begun, or were edited or canceled, stay. */
  change(
    caller: Caller,
    id: string,
    { expected_row_version, ...changes }: Partial<PatternFields> & { expected_row_version: number | null },
    key: string | null,
  ) {
    const meaning = ["change shift pattern", id, changes, expected_row_version];
    return this.withKey(caller, key, meaning, async (tx) => {
      const found = await lockOpenPattern(tx, caller, id);
      if (isRefusal(found)) return found;
      const stale = versionRefusal(found, expected_row_version);
      if (stale) return stale;
      const pattern = { ...found, ...changes, row_version: found.row_version + 1 };
      const wrong = recurrenceRefusal(pattern);
      if (wrong) return wrong;
      const removed = await removeUpcoming(tx, caller.org_id, found.id, await readClock(tx));
      return save(tx, caller, pattern, removed);
    });
  }

  /** Ends a pattern, and removes its coming shifts, except edited and canceled ones. */
  end(caller: Caller, id: string, key: string | null) {
    return this.withKey(caller, key, ["end shift pattern", id], async (tx) => {
      const found = await lockOpenPattern(tx, caller, id);
      if (isRefusal(found)) return found;
      const now = await readClock(tx);
      const pattern = { ...found, ended_at: now, row_version: found.row_version + 1 };
      const removed = await removeUpcoming(tx, caller.org_id, found.id, now);
      await savePattern(tx, caller.org_id, pattern);
      return { pattern, added: 0, removed };
    });
  }

  private withKey(
    { org_id, actor }: Caller,
    client_event_id: string | null,
    meaning: readonly unknown[],
    work: (tx: Tx) => Promise<PatternResult | Refusal>,
  ): Promise<IdempotentResult<PatternResult> | Refusal> {
    return this.engine.write(org_id, ({ tx }) =>
      withIdempotencyKey(tx, org_id, { client_event_id, actor, meaning }, () => work(tx)),
    );
  }
}

/** Refuses a pattern that never occurs or has no rule, or two. */
export function recurrenceRefusal(
  pattern: Pick<PatternFields, "weekdays" | "days_on" | "days_off" | "from_date" | "until_date">,
): Refusal | null {
  const { weekdays, days_on, days_off, from_date, until_date } = pattern;
  if ((weekdays === null) === (days_on === null))
    return wrongField("weekdays", "give either weekdays, or days_on and days_off");
  if ((days_on === null) !== (days_off === null)) return wrongField("days_off", "goes with days_on");
  if (until_date !== null && until_date < from_date)
    return wrongField("until_date", "must not be before from_date");
  return null;
}

async function save(
  tx: Tx,
  { org_id }: Caller,
  given: ShiftPattern,
  removed: number,
): Promise<PatternResult | Refusal> {
  const members = [...new Set(given.members)].sort();
  const nonMember = await findNonMember(tx, org_id, given.project_id, members);
  if (nonMember !== null)
    return wrongField("members", `"${nonMember}" is not an active member of the project`);
  const pattern = { ...given, members };
  const added = await expandPattern(tx, org_id, pattern, await readClock(tx));
  const [saved] = await listPatterns(tx, org_id, { projects: null, id: pattern.id, limit: 1 });
  return { pattern: saved ?? pattern, added, removed };
}

async function findPattern(tx: Tx, { org_id, actor }: Caller, id: string): Promise<ShiftPattern | Refusal> {
  const filter = { projects: actor.project_ids, id, ended: true, limit: 1 };
  const [found] = isUuid(id) ? await listPatterns(tx, org_id, filter) : [];
  return found ?? refuse("NOT_FOUND", `There is no shift pattern ${id}.`, { id });
}

async function lockOpenPattern(tx: Tx, caller: Caller, id: string): Promise<ShiftPattern | Refusal> {
  if (isUuid(id)) await lockPattern(tx, caller.org_id, id);
  const found = await findPattern(tx, caller, id);
  if (isRefusal(found) || found.ended_at === null) return found;
  return refuse("PATTERN_ENDED", "The pattern has ended.", { id: found.id });
}
