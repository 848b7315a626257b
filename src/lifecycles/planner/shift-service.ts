import { v7 as uuidv7 } from "uuid";
import { isRefusal, refuse, SYSTEM } from "../../core/index.ts";
import type { Refusal } from "../../core/index.ts";
import { answerOnce, planAnew, readClock, wrongField } from "../../plugin/index.ts";
import type { By, Engine, Once, Tx } from "../../plugin/index.ts";
import { isUuid } from "../../std/uuid.ts";
import { pageOf } from "./service.ts";
import { releaseShift } from "./release-shifts.ts";
import type { Released } from "./release-shifts.ts";
import { readPeople } from "./sql/read-people.ts";
import { addShift, endShift, listShifts } from "./sql/shifts.ts";
import type { Shift, ShiftFilter } from "./sql/shifts.ts";

/** Shifts: who is at work, and until when. */
export class ShiftDesk {
  private readonly engine: Engine;

  constructor(engine: Engine) {
    this.engine = engine;
  }

  plan(
    { org_id, actor }: By,
    said: Pick<Shift, "project_id" | "starts_at" | "ends_at" | "members">,
    client_event_id: string | null,
  ): Promise<Once<Shift> | Refusal> {
    const intention = { client_event_id, actor, meaning: ["plan shift", said] };
    return this.engine.write(org_id, ({ tx }) =>
      answerOnce(tx, org_id, intention, async () => {
        const members = [...new Set(said.members)].sort();
        const stranger = await strangerAmong(tx, org_id, said.project_id, members);
        if (stranger !== null)
          return wrongField("members", `"${stranger}" is no active member of the project`);
        const [created_at, created_by] = [await readClock(tx), actor.id];
        const shift: Shift = { id: uuidv7(), ...said, members, settled: false, created_by, created_at };
        await addShift(tx, org_id, shift);
        return shift;
      }),
    );
  }

  list({ org_id }: By, filter: ShiftFilter) {
    return this.engine.transaction(async (tx) => {
      await planAnew(tx);
      const rows = await listShifts(tx, org_id, { ...filter, limit: filter.limit + 1 });
      return pageOf(rows, filter.limit, ({ id }) => id);
    });
  }

  find(by: By, id: string): Promise<Shift | Refusal> {
    return this.engine.transaction((tx) => findShift(tx, by, id));
  }

  /** Ends a shift and releases what it should, in one transaction. */
  end(
    by: By,
    id: string,
    client_event_id: string | null,
  ): Promise<Once<{ shift: Shift } & Released> | Refusal> {
    const { org_id, actor } = by;
    const intention = { client_event_id, actor, meaning: ["end shift", id] };
    return this.engine.write(org_id, (within) =>
      answerOnce(within.tx, org_id, intention, async () => {
        const found = await findShift(within.tx, by, id);
        if (isRefusal(found)) return found;
        await endShift(within.tx, org_id, found.id);
        const report = await releaseShift(
          {
            transaction: (work) => work(within.tx),
            perform: (org, request) => this.engine.perform({ org_id: org, actor: SYSTEM }, request, within),
          },
          org_id,
          found.id,
        );
        const shift = await findShift(within.tx, by, id);
        return isRefusal(shift) ? shift : { shift, ...report };
      }),
    );
  }
}

async function findShift(tx: Tx, { org_id, actor }: By, id: string): Promise<Shift | Refusal> {
  const filter = { projects: actor.project_ids, id, limit: 1 };
  const [found] = isUuid(id) ? await listShifts(tx, org_id, filter) : [];
  return found ?? refuse("NOT_FOUND", `There is no shift ${id}.`, { id });
}

/** The first of those who do not work in the project. */
async function strangerAmong(
  tx: Tx,
  org_id: string,
  project_id: string,
  members: readonly string[],
): Promise<string | null> {
  const people = await readPeople(tx, org_id, members);
  const works = (id: string) => {
    const person = people.get(id);
    return person?.active && (person.project_ids?.includes(project_id) ?? true);
  };
  return members.find((id) => !works(id)) ?? null;
}
