import { isRefusal } from "../../core/index.ts";
import { onWire, onWireOrNull } from "../../api/index.ts";
import { answer, projectRefusal, serve, visibleProjects } from "../../plugin/index.ts";
import type { Directory, Engine, RouteSet } from "../../plugin/index.ts";
import { shiftOnWire } from "./on-wire.ts";
import { SHIFT_CHANGE_ROUTES, SHIFT_PATTERN_ROUTES } from "./shift-api.ts";
import type { PlannerShiftPattern } from "./shift-api.ts";
import { ShiftChangeService } from "./shift-change-service.ts";
import { recurrenceRefusal, ShiftPatternService } from "./shift-pattern-service.ts";
import type { PatternFields, PatternResult } from "./shift-pattern-service.ts";
import { ShiftService } from "./shift-service.ts";
import type { ShiftPattern } from "./sql/shift-patterns.ts";

type Host = { engine: Engine; directory: Directory };

/** Serves the changes of shifts, and the caller's own shifts. */
export function serveShiftChanges({ engine, directory }: Host): RouteSet {
  const shifts = new ShiftService(engine);
  const service = new ShiftChangeService(engine);
  return serve(SHIFT_CHANGE_ROUTES, {
    listMyShifts: async ({ caller, query: { project_id = null, from, to, ...query } }) => {
      const { id } = caller.actor;
      const { rows, cursor } =
        id === null
          ? { rows: [], cursor: null }
          : await shifts.list(caller, {
              ...query,
              from: from === undefined ? undefined : Date.parse(from),
              to: to === undefined ? undefined : Date.parse(to),
              member: id,
              canceled: true,
              projects: visibleProjects(caller.actor, project_id),
            });
      const unknown = rows.length > 0 ? null : await projectRefusal(directory, caller, project_id);
      return unknown ?? answer(200, { shifts: rows.map(shiftOnWire), cursor });
    },
    changeShift: async ({ caller, params, body, client_event_id }) => {
      const { starts_at, ends_at, members = null, expected_row_version = null } = body;
      const edit = {
        starts_at: momentOf(starts_at),
        ends_at: momentOf(ends_at),
        members,
        expected_row_version,
      };
      const done = await service.edit(caller, params.id, edit, client_event_id);
      return isRefusal(done) ? done : answer(200, onWireWith(done.answer), { replayed: done.replayed });
    },
    extendShift: async ({ caller, params, body, client_event_id }) => {
      const done = await service.extend(caller, params.id, Date.parse(body.ends_at), client_event_id);
      return isRefusal(done) ? done : answer(200, onWireWith(done.answer), { replayed: done.replayed });
    },
    cancelShift: async ({ caller, params, body, client_event_id }) => {
      const done = await service.cancel(caller, params.id, body.reason, client_event_id);
      return isRefusal(done) ? done : answer(200, onWireWith(done.answer), { replayed: done.replayed });
    },
    copyShifts: async ({ caller, body: { project_id, from, to, time_zone }, client_event_id }) => {
      const project = await directory.project(caller, project_id ?? "main");
      if (isRefusal(project)) return project;
      const copy = { project_id: project.id, from, to, time_zone };
      const done = await service.copyWeek(caller, copy, client_event_id);
      if (isRefusal(done)) return done;
      const { shifts: made, skipped } = done.answer;
      return answer(201, { shifts: made.map(shiftOnWire), skipped }, { replayed: done.replayed });
    },
  });
}

/** Serves the recurring patterns. */
export function serveShiftPatterns({ engine, directory }: Host): RouteSet {
  const service = new ShiftPatternService(engine);
  return serve(SHIFT_PATTERN_ROUTES, {
    createShiftPattern: async ({
      caller,
      body: { client_event_id: _, project_id, ...body },
      client_event_id,
    }) => {
      const fields: PatternFields = { ...PATTERN_DEFAULTS, ...withoutNulls(body) };
      const wrong = recurrenceRefusal(fields);
      if (wrong) return wrong;
      const project = await directory.project(caller, project_id ?? "main");
      if (isRefusal(project)) return project;
      const done = await service.create(caller, project.id, fields, client_event_id);
      return isRefusal(done) ? done : answer(201, resultOnWire(done.answer), { replayed: done.replayed });
    },
    listShiftPatterns: async ({ caller, query: { project_id = null, ...query } }) => {
      const filter = { ...query, projects: visibleProjects(caller.actor, project_id) };
      const { rows, cursor } = await service.list(caller, filter);
      const unknown = rows.length > 0 ? null : await projectRefusal(directory, caller, project_id);
      return unknown ?? answer(200, { patterns: rows.map(patternOnWire), cursor });
    },
    getShiftPattern: async ({ caller, params }) => {
      const found = await service.find(caller, params.id);
      return isRefusal(found) ? found : answer(200, patternOnWire(found));
    },
    changeShiftPattern: async ({ caller, params, body, client_event_id }) => {
      const { client_event_id: _, expected_row_version = null, ...given } = body;
      const changes = { ...changesOf(given), expected_row_version };
      const done = await service.change(caller, params.id, changes, client_event_id);
      return isRefusal(done) ? done : answer(200, resultOnWire(done.answer), { replayed: done.replayed });
    },
    endShiftPattern: async ({ caller, params, client_event_id }) => {
      const done = await service.end(caller, params.id, client_event_id);
      return isRefusal(done) ? done : answer(200, resultOnWire(done.answer), { replayed: done.replayed });
    },
  });
}

const PATTERN_DEFAULTS = {
  weekdays: null,
  every_weeks: 1,
  days_on: null,
  days_off: null,
  until_date: null,
  except_dates: [],
  ahead_days: 14,
};

type Given<Body> = { [Name in keyof Body]?: Exclude<Body[Name], null | undefined> };

function withoutNulls<Body extends object>(body: Body): Given<Body> & PickRequired<Body> {
  return Object.fromEntries(Object.entries(body).filter(([, value]) => value != null)) as never;
}

type PickRequired<Body> = {
  [
    Name in keyof Body as null extends Body[Name] ? never : undefined extends Body[Name] ? never : Name
  ]: Body[Name];
};

/** Returns the changes of a pattern. Null restores the default. */
function changesOf(given: object): Partial<PatternFields> {
  const entries = Object.entries(given).filter(([name, value]) => value != null || name in PATTERN_DEFAULTS);
  const changes: Partial<PatternFields> = Object.fromEntries(
    entries.map(([name, value]) => [name, value ?? PATTERN_DEFAULTS[name as keyof typeof PATTERN_DEFAULTS]]),
  );
  // Weekdays replace a cycle, and a cycle replaces weekdays.
  if (changes.weekdays) return { days_on: null, days_off: null, ...changes };
  return changes.days_on == null ? changes : { weekdays: null, ...changes };
}

function momentOf(text: string | null | undefined): number | null {
  return text == null ? null : Date.parse(text);
}

function onWireWith({ shift, ...report }: { shift: Parameters<typeof shiftOnWire>[0] } & Reported) {
  return { shift: shiftOnWire(shift), ...report };
}

type Reported = { released: string[]; kept: { task_id: string; code: string; detail: string }[] };

function resultOnWire({ pattern, added, removed }: PatternResult) {
  return { pattern: patternOnWire(pattern), added, removed };
}

function patternOnWire(row: ShiftPattern): PlannerShiftPattern {
  return {
    ...row,
    weekdays: row.weekdays === null ? null : [...row.weekdays],
    except_dates: [...row.except_dates],
    created_at: onWire(row.created_at),
    ended_at: onWireOrNull(row.ended_at),
  };
}
