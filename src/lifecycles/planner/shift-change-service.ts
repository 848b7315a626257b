import { isRefusal, refuse, SYSTEM } from "../../core/index.ts";
import type { Instant, Refusal } from "../../core/index.ts";
import { readClock, withIdempotencyKey, wrongField } from "../../plugin/index.ts";
import type { Caller, Engine, IdempotentResult, Tx } from "../../plugin/index.ts";
import { isUuid } from "../../std/uuid.ts";
import { loadCalendar } from "./expand-patterns.ts";
import { releaseShift } from "./release-shifts.ts";
import type { Released } from "./release-shifts.ts";
import { canceledRefusal, findNonMember, findShift, newShift } from "./shift-service.ts";
import { versionRefusal } from "./shift-version.ts";
import { cancelShift, changeShift, lockProject, lockShift } from "./sql/change-shifts.ts";
import { activeMembers } from "./sql/read-people.ts";
import { addShift, listShifts } from "./sql/shifts.ts";
import type { Shift } from "./sql/shifts.ts";

export type ShiftEdit = {
  starts_at: Instant | null;
  ends_at: Instant | null;
  members: readonly string[] | null;
  expected_row_version: number | null;
};

/** A week to copy: the seven days from `from` become those from `to`. */
export type WeekCopy = { project_id: string; from: string; to: string; time_zone: string };

/** The reason why a shift was not copied. */
type Skipped = { shift_id: string; reason: "pattern" | "exists" | "past" | "no_members" };

/** A week has at most this many shifts of a project. */
const MAX_SHIFTS_PER_WEEK = 1_000;

type Within = Parameters<Parameters<Engine["write"]>[1]>[0];

/** The changes of planned and running shifts. */
export class ShiftChangeService {
  private readonly engine: Engine;

  constructor(engine: Engine) {
    this.engine = engine;
  }

  /**
   * Changes times or members. A member who leaves a running shift gets a shift that ends now, so that the rules of the end of a
   * shift release the member's tasks.
   */
  edit(caller: Caller, id: string, edit: ShiftEdit, key: string | null) {
    return this.withKey(caller, key, ["edit shift", id, edit], async (within) => {
      const { tx } = within;
      const found = await lockOpenShift(tx, caller, id, edit.expected_row_version);
      if (isRefusal(found)) return found;
      const now = await readClock(tx);
      const wrong = await editRefusal(tx, caller, found, edit, now);
      if (wrong) return wrong;
      const members = edit.members === null ? found.members : [...new Set(edit.members)].sort();
      const times = { starts_at: edit.starts_at ?? found.starts_at, ends_at: edit.ends_at ?? found.ends_at };
      await changeShift(tx, caller.org_id, { id: found.id, ...times, members });
      const left = found.members.filter((member) => !members.includes(member));
      const isRunning = found.starts_at <= now;
      const report =
        isRunning && left.length > 0
          ? await this.endFor(within, caller, { ...found, members: left }, now)
          : NOTHING;
      return answerWith(tx, caller, found.id, report);
    });
  }

  /** Moves the end of a planned or running shift to a later moment. */
  extend(caller: Caller, id: string, ends_at: Instant, key: string | null) {
    return this.withKey(caller, key, ["extend shift", id, ends_at], async ({ tx }) => {
      const found = await lockOpenShift(tx, caller, id, null);
      if (isRefusal(found)) return found;
      if (ends_at <= found.ends_at) return wrongField("ends_at", "must be after the end of the shift");
      await changeShift(tx, caller.org_id, { ...found, ends_at });
      return answerWith(tx, caller, found.id, NOTHING);
    });
  }

  /** Cancels a shift that has not begun. It stays on record, and releases nothing. */
  cancel(caller: Caller, id: string, reason: string, key: string | null) {
    return this.withKey(caller, key, ["cancel shift", id, reason], async ({ tx }) => {
      const found = await lockOpenShift(tx, caller, id, null);
      if (isRefusal(found)) return found;
      const now = await readClock(tx);
      if (found.starts_at <= now)
        return refuse("SHIFT_STARTED", "A shift that has begun cannot be canceled.", { id: found.id });
      const { id: shift_id, members } = found;
      await cancelShift(tx, caller.org_id, {
        id: shift_id,
        members,
        canceled_by: caller.actor.id,
        reason,
        now,
      });
      return answerWith(tx, caller, shift_id, NOTHING);
    });
  }

  /** Copies the shifts of a week that were planned by hand, with the same local times. */
  copyWeek(caller: Caller, copy: WeekCopy, key: string | null) {
    return this.withKey(caller, key, ["copy week", copy], async ({ tx }) => {
      await lockProject(tx, caller.org_id, copy.project_id);
      const { addDays, daysBetween, moveByDays, startOfDate } = await loadCalendar();
      const days = daysBetween(copy.from, copy.to);
      if (Math.abs(days) < 7) return wrongField("to", "must be at least seven days from `from`");
      const weekFrom = (date: string) => ({
        from: startOfDate(date, copy.time_zone),
        to: startOfDate(addDays(date, 7), copy.time_zone),
      });
      const [source, target] = [weekFrom(copy.from), weekFrom(copy.to)];
      const read = (week: { from: Instant; to: Instant }) =>
        listShifts(tx, caller.org_id, { projects: [copy.project_id], ...week, limit: MAX_SHIFTS_PER_WEEK });
      const now = await readClock(tx);
      const existing = (await read(target)).map(signatureOf);
      const result: { shifts: Shift[]; skipped: Skipped[] } = { shifts: [], skipped: [] };
      const copied = (await read(source)).filter(({ starts_at }) => starts_at >= source.from);
      for (const shift of copied) {
        const times = moveByDays(shift, days, copy.time_zone);
        const members = await activeMembers(tx, caller.org_id, shift.project_id, shift.members);
        const { project_id } = shift;
        const made = newShift({
          project_id,
          ...times,
          members,
          created_by: caller.actor.id,
          created_at: now,
        });
        const reason = skipReason(shift, made, existing, now);
        if (reason) result.skipped.push({ shift_id: shift.id, reason });
        else {
          await addShift(tx, caller.org_id, made);
          result.shifts.push(made);
        }
      }
      return result;
    });
  }

  private async endFor(
    within: Within,
    { org_id, actor }: Caller,
    { project_id, starts_at, members }: Shift,
    now: Instant,
  ): Promise<Released> {
    const part = newShift({
      project_id,
      starts_at,
      ends_at: now,
      members,
      created_by: actor.id,
      created_at: now,
    });
    await addShift(within.tx, org_id, part);
    return releaseShift(
      {
        transaction: (work) => work(within.tx),
        perform: (org, command) => this.engine.perform({ org_id: org, actor: SYSTEM }, command, within),
      },
      org_id,
      part.id,
    );
  }

  private withKey<Answer extends object>(
    { org_id, actor }: Caller,
    client_event_id: string | null,
    meaning: readonly unknown[],
    work: (within: Within) => Promise<Answer | Refusal>,
  ): Promise<IdempotentResult<Answer> | Refusal> {
    return this.engine.write(org_id, (within) =>
      withIdempotencyKey(within.tx, org_id, { client_event_id, actor, meaning }, () => work(within)),
    );
  }
}

const NOTHING: Released = { released: [], kept: [] };

/** Locks a shift that has not ended and is not canceled. */
async function lockOpenShift(
  tx: Tx,
  caller: Caller,
  id: string,
  expected_row_version: number | null,
): Promise<Shift | Refusal> {
  if (isUuid(id)) await lockShift(tx, caller.org_id, id, caller.actor.project_ids);
  const found = await findShift(tx, caller, id);
  if (isRefusal(found)) return found;
  if (found.canceled_at !== null) return canceledRefusal(found);
  if (found.ends_at <= (await readClock(tx)))
    return refuse("SHIFT_ENDED", "The shift has ended.", { id: found.id, ends_at: found.ends_at });
  return versionRefusal(found, expected_row_version) ?? found;
}

async function editRefusal(
  tx: Tx,
  { org_id }: Caller,
  shift: Shift,
  { starts_at, ends_at, members }: ShiftEdit,
  now: Instant,
): Promise<Refusal | null> {
  if (starts_at !== null && starts_at !== shift.starts_at && shift.starts_at <= now)
    return refuse("SHIFT_STARTED", "The start of a shift that has begun cannot be changed.", {
      id: shift.id,
    });
  const end = ends_at ?? shift.ends_at;
  if (end <= (starts_at ?? shift.starts_at)) return wrongField("ends_at", "must be after starts_at");
  if (end <= now) return wrongField("ends_at", "must be in the future; to end a shift now, use /end");
  if (members === null) return null;
  const added = members.filter((id) => !shift.members.includes(id));
  const nonMember = await findNonMember(tx, org_id, shift.project_id, added);
  return nonMember === null
    ? null
    : wrongField("members", `"${nonMember}" is not an active member of the project`);
}

async function answerWith(
  tx: Tx,
  caller: Caller,
  id: string,
  report: Released,
): Promise<({ shift: Shift } & Released) | Refusal> {
  const shift = await findShift(tx, caller, id);
  return isRefusal(shift) ? shift : { shift, ...report };
}

function signatureOf({ starts_at, ends_at, members }: Shift): string {
  return JSON.stringify([starts_at, ends_at, members]);
}

function skipReason(
  shift: Shift,
  made: Shift,
  existing: readonly string[],
  now: Instant,
): Skipped["reason"] | null {
  if (shift.pattern_id !== null) return "pattern";
  if (made.members.length === 0) return "no_members";
  if (made.ends_at <= now) return "past";
  return existing.includes(signatureOf(made)) ? "exists" : null;
}
