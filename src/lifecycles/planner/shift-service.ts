import { v7 as uuidv7 } from "uuid";
import { isRefusal, refuse, SYSTEM } from "../../core/index.ts";
import type { Refusal } from "../../core/index.ts";
import { withIdempotencyKey, useCustomPlans, readClock, wrongField } from "../../plugin/index.ts";
import type { Caller, Engine, IdempotentResult, Tx } from "../../plugin/index.ts";
import { isUuid } from "../../std/uuid.ts";
import { pageOf } from "./service.ts";
import { releaseShift } from "./release-shifts.ts";
import type { Released } from "./release-shifts.ts";
import { activeMembers } from "./sql/read-people.ts";
import { addShift, endShift, listShifts } from "./sql/shifts.ts";
import type { Shift, ShiftFilter } from "./sql/shifts.ts";

/** The operations on shifts. */
export class ShiftService {
  private readonly engine: Engine;

  constructor(engine: Engine) {
    this.engine = engine;
  }

  plan(
    { org_id, actor }: Caller,
    input: Pick<Shift, "project_id" | "starts_at" | "ends_at" | "members">,
    client_event_id: string | null,
  ): Promise<IdempotentResult<Shift> | Refusal> {
    const request = { client_event_id, actor, meaning: ["plan shift", input] };
    return this.engine.write(org_id, ({ tx }) =>
      withIdempotencyKey(tx, org_id, request, async () => {
        const members = [...new Set(input.members)].sort();
        const nonMember = await findNonMember(tx, org_id, input.project_id, members);
        if (nonMember !== null)
          return wrongField("members", `"${nonMember}" is not an active member of the project`);
        const [created_at, created_by] = [await readClock(tx), actor.id];
        const shift = newShift({ ...input, members, created_by, created_at });
        await addShift(tx, org_id, shift);
        return shift;
      }),
    );
  }

  list({ org_id }: Caller, filter: ShiftFilter) {
    return this.engine.transaction(async (tx) => {
      await useCustomPlans(tx);
      const rows = await listShifts(tx, org_id, { ...filter, limit: filter.limit + 1 });
      return pageOf(rows, filter.limit, ({ id }) => id);
    });
  }

  find(caller: Caller, id: string): Promise<Shift | Refusal> {
    return this.engine.transaction((tx) => findShift(tx, caller, id));
  }

  /** Ends a shift and releases its members' tasks, in one transaction. */
  end(
    caller: Caller,
    id: string,
    client_event_id: string | null,
  ): Promise<IdempotentResult<{ shift: Shift } & Released> | Refusal> {
    const { org_id, actor } = caller;
    const request = { client_event_id, actor, meaning: ["end shift", id] };
    return this.engine.write(org_id, (within) =>
      withIdempotencyKey(within.tx, org_id, request, async () => {
        const found = await findShift(within.tx, caller, id);
        if (isRefusal(found)) return found;
        if (found.canceled_at != null) return canceledRefusal(found);
        await endShift(within.tx, org_id, found.id);
        const report = await releaseShift(
          {
            transaction: (work) => work(within.tx),
            perform: (org, command) => this.engine.perform({ org_id: org, actor: SYSTEM }, command, within),
          },
          org_id,
          found.id,
        );
        const shift = await findShift(within.tx, caller, id);
        return isRefusal(shift) ? shift : { shift, ...report };
      }),
    );
  }
}

export function canceledRefusal({ id, canceled_at }: Shift): Refusal {
  return refuse("SHIFT_CANCELED", "The shift is canceled.", { id, canceled_at });
}

/** A shift that was not changed yet. */
export function newShift(
  fields: Pick<Shift, "project_id" | "starts_at" | "ends_at" | "members" | "created_by" | "created_at">,
): Shift {
  const unchanged = { canceled_at: null, canceled_by: null, cancel_reason: null };
  return { id: uuidv7(), ...fields, settled: false, row_version: 1, pattern_id: null, ...unchanged };
}

export async function findShift(tx: Tx, { org_id, actor }: Caller, id: string): Promise<Shift | Refusal> {
  const filter = { projects: actor.project_ids, id, canceled: true, limit: 1 };
  const [found] = isUuid(id) ? await listShifts(tx, org_id, filter) : [];
  return found ?? refuse("NOT_FOUND", `There is no shift ${id}.`, { id });
}

/** Returns the first id that is not an active member of the project; null: all are. */
export async function findNonMember(
  tx: Tx,
  org_id: string,
  project_id: string,
  members: readonly string[],
): Promise<string | null> {
  const active = await activeMembers(tx, org_id, project_id, members);
  return members.find((id) => !active.includes(id)) ?? null;
}
