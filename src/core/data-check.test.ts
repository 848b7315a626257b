import { describe, expect, test } from "vitest";
import { z } from "zod";
import { check } from "./check/check.ts";
import { decideCreation, draftOf } from "./decide-creation.ts";
import { decide } from "./decide.ts";
import { defineLifecycle } from "./define-lifecycle.ts";
import { SYSTEM } from "./task.ts";
import type { JsonObject, Task } from "./task.ts";

type Parts = { data?: z.ZodObject; effect?: (view: never) => object; draft?: (view: never) => unknown };

/** A lifecycle whose effect and draft may break the schema of its data; the cast disables the types. */
function parcel({ data = DATA, effect = () => ({}), draft = () => VALID }: Parts = {}) {
  return defineLifecycle({
    name: "parcel",
    version: 1,
    summary: "",
    data,
    statuses: { open: {}, packed: { final: true } },
    actions: { pack: { input: z.object({ label: z.string(), code: z.uuid().optional() }) } },
    creation: { input: z.object({ address: z.string().nullable() }), to: [{ status: "open" }], draft },
    rules: [{ action: "pack", from: "open", to: "packed", who: "anyone", effects: ["keep"] }],
    effects: { keep: effect },
  } as never);
}
const DATA = z.object({ address: z.string(), label: z.string().nullable().default(null) });
const VALID = { title: "A parcel", data: { address: "Main Street 1", label: null } };

function create(parts: Parts, input: JsonObject = { address: "x" }) {
  const lifecycle = parcel(parts);
  const view = { input, actor: SYSTEM, settings: {}, facts: {}, now: 0 };
  const context = { id: "1", org_id: "main", project_id: "main", open_blockers: 0 };
  return decideCreation(lifecycle, view, draftOf(lifecycle, view), context);
}

function pack(parts: Parts, input: JsonObject = { label: "x" }) {
  const created = create({});
  const task = created.kind === "created" ? created.task : ({} as Task);
  const situation = { task, actor: { ...SYSTEM, id: "ann" }, facts: {}, settings: {}, now: 0 };
  const command = { action: "pack", input, comment: null, expected_row_version: null, lease_token: null };
  return decide(parcel(parts), situation, command);
}

describe("an effect is refused", () => {
  test.each([
    ["a wrong type", { label: 7 }, "label: Invalid input: expected string, received number"],
    ["an unknown field", { lable: "x" }, "lable: is not a field of the data"],
    ["null in a required field", { address: null }, "address: Invalid input: expected string, received null"],
  ])("for %s", (_, data, mistake) => {
    expect(pack({ effect: () => ({ data }) })).toMatchObject({
      kind: "refused",
      code: "INVALID_DATA",
      detail: `Lifecycle "parcel": an effect of "pack" would store invalid data: ${mistake}`,
      params: { lifecycle: "parcel", errors: [{ path: Object.keys(data)[0] }] },
    });
  });

  test("not for valid data, for open schemas, or for fields whose stored value differs from the parsed one", () => {
    expect(pack({ effect: () => ({ data: { label: "x" } }) })).toMatchObject({ kind: "moved" });
    expect(pack({ effect: () => ({ data: { address: undefined } }) })).toMatchObject({ kind: "moved" });
    const open = z.looseObject({ address: z.string() });
    expect(pack({ data: open, effect: () => ({ data: { more: 1 } }) })).toMatchObject({ kind: "moved" });
    const parsed = z.object({ at: z.string().transform(Number) });
    expect(pack({ data: parsed, effect: () => ({ data: { at: 1 } }) })).toMatchObject({ kind: "moved" });
  });
});

test.each([
  ["a missing field", { title: "x", data: { label: null } }, "address"],
  ["a wrong type inside", { title: "x", data: { address: ["x"], label: null } }, "address"],
  ["an unknown field", { title: "x", data: { address: "x", label: null, more: 1 } }, "more"],
  ["no title", { data: { address: "x", label: null } }, "title"],
  ["no data", { title: "x" }, "data"],
])("a draft with %s is refused", (_, draft, path) => {
  expect(create({ draft: () => draft })).toMatchObject({
    kind: "refused",
    code: "INVALID_DATA",
    params: { errors: [{ path }] },
  });
});

describe("check", () => {
  const messages = (parts: Parts) =>
    check(parcel(parts)).findings.flatMap(({ kind, level, message }) =>
      kind === "invalid_data" ? [`${level}: ${message}`] : [],
    );

  test("finds effects and drafts that break the schema for some input", () => {
    expect(messages({ effect: () => ({ data: { lable: "x" } }) })).toEqual([
      'error: an effect of "pack" would store invalid data: lable: is not a field of the data',
    ]);
    const draft = ({ input }: { input: JsonObject }) => ({
      title: "x",
      data: { address: input.address, label: null },
    });
    expect(messages({ draft })).toEqual([
      "error: the draft would store invalid data: address: Invalid input: expected string, received null",
    ]);
  });

  test("does not report samples that no caller can send, such as a text in place of a UUID", () => {
    const data = DATA.extend({ code: z.uuid().nullish() });
    const effect = ({ input }: { input: JsonObject }) => ({ data: { code: input.code ?? null } });
    expect(messages({ data, effect })).toEqual([]);
  });
});
