import { expect, onTestFinished, test } from "vitest";
import { fromPg } from "../../src/adapters/pg.ts";
import { openPawl } from "../../src/main/index.ts";
import { newDatabase, note, parcel, QUIET } from "./parcel.ts";

const url = await newDatabase();

type Loose = Record<string, (...args: unknown[]) => Promise<unknown>>;

/** Opens a node as an app in JavaScript sees it: no argument is checked by a compiler. */
async function open() {
  const pawl = await openPawl({ url, plugins: [parcel, note], ...QUIET });
  onTestFinished(() => pawl.close());
  await pawl.createMember({ id: "ann", roles: ["agent"] });
  return { pawl, verbs: pawl as unknown as Loose, ann: await pawl.as("ann") };
}

const NOT_TEXTS = [undefined, null, 5, true, {}, ["a"], Symbol("a"), 5n, new Date(0)];
const UNSTORABLE = ["a\0b", "\ud800"];

test.each(["create", "perform", "performMany", "claim", "heartbeat", "find", "list", "events", "explain"])(
  "%s names a caller that is missing or was not awaited",
  async (verb) => {
    const { verbs } = await open();
    for (const caller of [undefined, null, "ann", Promise.resolve(), {}])
      await expect(verbs[verb]?.(caller, [])).rejects.toThrow(
        new TypeError(
          `pawl.${verb} needs a caller as its first argument: \`await pawl.as("ann")\` returns one.`,
        ),
      );
  },
);

test.each(["create", "perform", "performMany", "claim"])(
  "%s throws for an unknown option, so that no task is saved outside of the caller's transaction",
  async (verb) => {
    const { verbs, ann } = await open();
    // Nothing is connected: the client is only an object here.
    const client = { query: () => Promise.resolve({ rows: [] }), release: () => undefined };
    for (const options of [{ transaction: client }, client, "tx", fromPg.name]) {
      const request = verb === "create" ? [{ lifecycle: "note", text: "x" }] : {};
      await expect(verbs[verb]?.(ann, request, options)).rejects.toThrow(
        /^pawl\.\w+ has no option .*\. Pass a transaction as the option tx, for example `\{ tx: fromPg\(client\) \}`\.$/,
      );
    }
    expect(await verbs.list?.(ann, { lifecycle: "note" })).toEqual({ tasks: [], cursor: null });
  },
);

test.each<[string, (value: unknown) => unknown[]]>([
  ["create", (value) => [value]],
  ["create", (value) => [[value]]],
  ["create", (value) => [[{ lifecycle: value }]]],
  ["perform", (value) => [value]],
  ["perform", (task_id) => [{ task_id, action: "take" }]],
  ["perform", (action) => [{ task_id: "1", action }]],
  ["claim", (value) => [value]],
  ["claim", (lifecycle) => [{ lifecycle }]],
  ["find", (value) => [value]],
  ["events", (value) => [value]],
  ["explain", (value) => [value]],
])("%s refuses fields of another type (%#)", async (verb, argumentsOf) => {
  const { verbs, ann } = await open();
  for (const value of NOT_TEXTS)
    expect(await verbs[verb]?.(ann, ...argumentsOf(value))).toMatchObject({
      kind: "refused",
      code: "VALIDATION_ERROR",
    });
});

test.each<[string, (value: unknown) => unknown]>([
  ["perform", (client_event_id) => ({ task_id: "1", action: "take", client_event_id })],
  ["claim", (project_id) => ({ lifecycle: "parcel", project_id })],
  ["claim", (least_priority) => ({ lifecycle: "parcel", least_priority })],
])("%s refuses optional fields that are not of their type (%#)", async (verb, requestOf) => {
  const { verbs, ann } = await open();
  for (const value of [true, {}, ["a"], Symbol("a"), 5n, new Date(0), NaN, ...UNSTORABLE])
    expect(await verbs[verb]?.(ann, requestOf(value))).toMatchObject({ code: "VALIDATION_ERROR" });
});

test.each(["lifecycle", "status", "project_id", "assigned_to", "q", "label", "sort", "cursor"])(
  "list throws for a filter %s that is not of its type",
  async (name) => {
    const { verbs, ann } = await open();
    for (const value of [5, true, {}, [5], Symbol("a"), 5n, "a\0b", ["\ud800"]])
      await expect(verbs.list?.(ann, { [name]: value })).rejects.toMatchObject({ code: "VALIDATION_ERROR" });
  },
);

test("list throws for a lifecycle or status that does not exist, as the API refuses it", async () => {
  const { verbs, ann } = await open();
  await expect(verbs.list?.(ann, { lifecycle: "parcle" })).rejects.toThrow(
    'There is no lifecycle "parcle"; did you mean "parcel"?',
  );
  await expect(verbs.list?.(ann, { lifecycle: "note", status: ["packing"] })).rejects.toThrow(
    /^The lifecycle "note" has no status "packing"/,
  );
});

test("heartbeat and performMany throw for a list of something else", async () => {
  const { verbs, ann } = await open();
  for (const value of [undefined, {}, [null], [{ task_id: 5 }]])
    for (const verb of ["heartbeat", "performMany"])
      await expect(verbs[verb]?.(ann, value)).rejects.toMatchObject({ code: "VALIDATION_ERROR" });
});

test("members, projects and orgs are checked as by the API, and nothing is created from an invalid one", async () => {
  const { pawl, verbs } = await open();
  for (const id of ["", "a\0b", "\ud800", "x".repeat(201), ...NOT_TEXTS]) {
    for (const verb of ["createMember", "createProject"])
      await expect(verbs[verb]?.({ id })).rejects.toMatchObject({ code: "VALIDATION_ERROR" });
    for (const verb of ["createOrg", "as"])
      await expect(verbs[verb]?.(id)).rejects.toMatchObject({ code: "VALIDATION_ERROR" });
  }
  for (const wrong of [
    { kind: "robot" },
    { roles: "agent" },
    { roles: [""] },
    { skill_level: "3" },
    { name: 5 },
  ])
    await expect(verbs.createMember?.({ id: "bob", ...wrong })).rejects.toMatchObject({
      code: "VALIDATION_ERROR",
    });
  const members = await pawl.client(pawl.asSystem()).listMembers();
  expect(members).toMatchObject({ members: [{ id: "ann" }] });
});

test("fields of a new member that are undefined have their defaults", async () => {
  const { pawl, verbs } = await open();
  await verbs.createMember?.({ id: "carl", roles: undefined, kind: undefined, project_ids: undefined });
  expect((await pawl.as("carl")).actor).toMatchObject({ id: "carl", roles: [], project_ids: null });
});
