import { afterAll, expect, onTestFinished, test } from "vitest";
import { createClient } from "../../src/client/index.ts";
import type { LifecyclesOf, PawlProblem } from "../../src/client/index.ts";
import { accepted, openPawl } from "../../src/main/index.ts";
import { startTestServer } from "../../src/main/testing.ts";
import { newDatabase, note, parcel, QUIET } from "./parcel.ts";

const url = await newDatabase();
const server = await startTestServer({ url, plugins: [parcel, note] });
// A second node on the same database, with the types of its lifecycles.
const pawl = await openPawl({ url, plugins: [parcel, note], ...QUIET });
afterAll(async () => {
  await pawl.close();
  await server.stop();
});
await pawl.createMember({ id: "ann", roles: ["worker"] });
const caller = await pawl.as("ann");
const { token } = await server.client.createToken({ id: "ann" });
const http = createClient<LifecyclesOf<[typeof parcel, typeof note]>>({ url: server.url, token });
const local = pawl.client(caller);
const FIELDS = { title: "A parcel", address: "Main Street 1" };

/** Removes what differs between two tasks that were made by the same calls: ids, tokens and times of their own. */
function comparable(value: unknown): unknown {
  return JSON.parse(
    JSON.stringify(value, (_key, part: unknown) =>
      typeof part !== "string"
        ? part
        : part
            .replaceAll(/[\da-f]{8}-[\da-f-]{27}/g, "<uuid>")
            .replaceAll(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/g, "<time>"),
    ),
  );
}

/** Makes the same calls through a client. */
async function story(client: typeof http | typeof local) {
  const parcels = client.lifecycle("parcel");
  const created = await parcels.create(FIELDS);
  const pack = { payload: { label: "x" }, lease_token: "no" };
  const refused = await parcels.act(created.id, "pack", pack).then(
    () => null,
    (error: unknown) => {
      const { code, status, detail, next, params, name } = error as PawlProblem;
      return { code, status, detail, next, params, name };
    },
  );
  const claimed = await parcels.claim({ limit: 5 });
  const { lease_token = null } = claimed.tasks[0] ?? {};
  const beaten = await client.beatLeases({
    leases: [{ task_id: created.id, lease_token: lease_token ?? "" }],
  });
  const listed = await parcels.list({ status: ["packing"] });
  const batch = await parcels.actAll([
    { id: created.id, action: "pack", payload: { label: "done" }, lease_token },
    { id: "00000000-0000-4000-8000-000000000000", action: "release" },
  ]);
  return {
    created,
    refused,
    claimed,
    beaten,
    listed,
    batch,
    got: await parcels.get(created.id),
    journal: await parcels.journal(created.id),
    explained: await parcels.explain(created.id),
    links: await client.getTaskLinks({ id: created.id }),
    members: await client.listMembers(),
    overview: (await client.getOverview()).lifecycles.length,
    unknown: await client.getTask({ id: "nowhere" }).catch((error: unknown) => String(error)),
  };
}

test("both clients give deep-equal answers to the same calls", async () => {
  const [overHttp, inProcess] = [await story(http), await story(local)];
  expect(comparable(inProcess)).toEqual(comparable(overHttp));
  expect(overHttp.refused).toMatchObject({ code: "LEASE_LOST", status: 409, name: "PawlProblem" });
  expect(overHttp.got).toMatchObject({ status: "packed", data: { label: "done" } });
});

test("the verbs of openPawl return tasks, events and leases in the shapes of the client", async () => {
  const made = accepted(await pawl.create(caller, [{ lifecycle: "parcel", ...FIELDS }]));
  const [task] = made.tasks;
  const id = task?.id ?? "";
  const parcels = http.lifecycle("parcel");
  expect(task).toEqual(await parcels.get(id));
  expect(accepted(await pawl.find(caller, id))).toEqual(await parcels.get(id));
  expect(await pawl.list(caller, { lifecycle: "parcel", status: ["waiting"] })).toEqual(
    await parcels.list({ status: ["waiting"] }),
  );

  const claimed = accepted(await pawl.claim(caller, { lifecycle: "parcel", client_event_id: "same" }));
  const { kind: _, replayed: __, ...likeClient } = claimed;
  expect(likeClient).toEqual(await parcels.claim({ client_event_id: "same" }));

  const { lease_token = null } = claimed.tasks[0] ?? {};
  const move = { action: "pack", payload: { label: "x" }, lease_token, client_event_id: "packed" } as const;
  const { kind: ___, replayed, ...moved } = accepted(await pawl.perform(caller, { task_id: id, ...move }));
  expect(replayed).toBe(false);
  const { action, ...more } = move;
  expect(moved).toEqual(await parcels.act(id, action, more));

  expect(accepted(await pawl.events(caller, id))).toEqual(await parcels.journal(id));
  expect(accepted(await pawl.explain(caller, id))).toEqual(await parcels.explain(id));
  const [later] = accepted(
    await pawl.create(caller, [{ lifecycle: "parcel", ...FIELDS, available_at: "2100-01-01T00:00:00Z" }]),
  ).tasks;
  expect(later?.available_at).toBe("2100-01-01T00:00:00.000Z");
  expect(await pawl.create(caller, [{ lifecycle: "parcel", ...FIELDS, available_at: "soon" }])).toMatchObject(
    {
      kind: "refused",
      code: "VALIDATION_ERROR",
    },
  );
});

test("the client in process streams the same events as the one over HTTP", async () => {
  const created = await local.lifecycle("note").create({ text: "hello" });
  const ends = new AbortController();
  onTestFinished(() => {
    ends.abort();
  });
  const first = async (client: typeof http | typeof local) => {
    for await (const event of client.events({ after: 0, task_id: created.id, signal: ends.signal }))
      return event;
    return null;
  };
  expect(await first(local)).toEqual(await first(http));
  let next = Promise.resolve<IteratorResult<object, unknown>>({ done: true, value: null });
  // The stream begins at the position at which it was opened.
  await new Promise<void>((resolve) => {
    const onConnection = () => {
      resolve();
    };
    next = local.lifecycle("note").events({ signal: ends.signal, onConnection }).next();
  });
  const read = await local.lifecycle("note").act(created.id, "read");
  expect((await next).value).toMatchObject({ task_id: created.id, row_version: read.task.row_version });
});

test("a member in process may do no more than over HTTP", async () => {
  for (const client of [http, local])
    await expect(client.createMember({ id: "eve" })).rejects.toMatchObject({
      code: "FORBIDDEN",
      status: 403,
    });
  expect(await local.getMe()).toEqual(await http.getMe());
});
