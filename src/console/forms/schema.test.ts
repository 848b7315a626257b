import { expect, test } from "vitest";
import { fieldsOf, fieldErrorsFrom, generatedValues, readValues, valuesFrom, withFieldUi } from "./schema.ts";

const TEXTS = {
  required: "required",
  number: "number",
  integer: "integer",
  json: "json",
  tooShort: (n: number) => `at least ${n}`,
  tooLong: (n: number) => `at most ${n}`,
  tooSmall: (n: number) => `from ${n}`,
  tooLarge: (n: number) => `to ${n}`,
};
const SCHEMA = {
  type: "object",
  required: ["title", "count"],
  properties: {
    title: { type: "string", maxLength: 20 },
    count: { type: "integer", minimum: 1, maximum: 10 },
    day: { type: "string", format: "date" },
    reason: { type: "string" },
    level: { type: "string", enum: ["low", "high"], default: "low" },
    owner: { anyOf: [{ type: "string" }, { type: "null" }] },
    tags: { type: "array", items: { type: "string" } },
    urgent: { type: "boolean" },
    limits: { type: "object", properties: { max: { type: "number" } } },
    extra: { type: "object", additionalProperties: {} },
    after: { type: "array", items: { anyOf: [{ type: "string" }, { type: "object" }] } },
    defect: {
      anyOf: [
        {
          type: "object",
          required: ["what"],
          properties: { what: { type: "string" }, bad: { type: "boolean" } },
        },
        { type: "null" },
      ],
    },
  },
};
const fields = fieldsOf(SCHEMA);

test("a schema yields one field per property, required ones first", () => {
  expect(fields.map(({ name, kind }) => `${name}: ${kind}`)).toEqual([
    "title: text",
    "count: number",
    "day: date",
    "reason: long",
    "level: choice",
    "owner: text",
    "tags: list",
    "urgent: switch",
    "limits: group",
    "extra: json",
    "after: list",
    "defect: group",
  ]);
});

test("input is converted to the types of the schema, and empty input is not sent", () => {
  const { payload, errors } = readValues(
    fields,
    { title: " Weld ", count: "3", tags: "a, b\nc", limits: { max: "1,5" }, extra: '{"x": 1}', owner: "" },
    TEXTS,
  );
  expect(errors).toEqual({});
  expect(payload).toEqual({
    title: "Weld",
    count: 3,
    tags: ["a", "b", "c"],
    limits: { max: 1.5 },
    extra: { x: 1 },
  });
});

test.each([
  [{ count: "1" }, { title: "required" }],
  [{ title: "x", count: "1.5" }, { count: "integer" }],
  [{ title: "x", count: "0" }, { count: "from 1" }],
  [{ title: "x", count: "11" }, { count: "to 10" }],
  [{ title: "x".repeat(21), count: "1" }, { title: "at most 20" }],
  [{ title: "x", count: "many" }, { count: "number" }],
  [{ title: "x", count: "1", limits: { max: "?" } }, { "limits.max": "number" }],
  [{ title: "x", count: "1", extra: "{" }, { extra: "json" }],
  [{ title: "x", count: "1", defect: { what: " ", bad: false } }, {}],
  [{ title: "x", count: "1", defect: { bad: true } }, { "defect.what": "required" }],
])("%j is reported as %j", (values, errors) => {
  expect(readValues(fields, values, TEXTS).errors).toEqual(errors);
});

test("values filled into a form are read back unchanged", () => {
  const existing = {
    title: "Weld",
    count: 3,
    tags: ["a", "b"],
    urgent: true,
    limits: { max: 2 },
    extra: { x: 1 },
  };
  expect(readValues(fields, valuesFrom(fields, existing), TEXTS).payload).toEqual(existing);
});

test("errors from the server are shown at their fields", () => {
  expect(fieldErrorsFrom({ errors: [{ path: "payload.count", message: "too small" }] })).toEqual({
    count: "too small",
  });
  expect(fieldErrorsFrom({})).toEqual({});
});

test("a field is required by its lifecycle's rules, which depend on other fields", () => {
  const schema = {
    properties: {
      title: { type: "string" },
      fixes: { type: "string" },
      reason: { type: "string", enum: ["time", "other"] },
      text: { type: "string" },
    },
  };
  const ui = { title: { required_unless: "fixes" }, text: { required_when: { reason: "other" } } };
  const errorsOf = (values: object, creates = true) =>
    readValues(withFieldUi(fieldsOf(schema), ui, { creates }), { ...values }, TEXTS).errors;
  expect(errorsOf({})).toEqual({ title: "required" });
  expect(errorsOf({}, false)).toEqual({});
  expect(errorsOf({ fixes: "a task" })).toEqual({});
  expect(errorsOf({ title: "Weld", reason: "other" })).toEqual({ text: "required" });
  expect(errorsOf({ title: "Weld", reason: "time" })).toEqual({});
});

test("fields are chosen from members, tasks and projects by their names, unless the plugin sets another list", () => {
  const names = ["assignee_id", "blocked_by", "parent_task_id", "project_id", "user_id", "nonce"];
  const schema = { properties: Object.fromEntries(names.map((name) => [name, { type: "string" }])) };
  const list = { from: "/api/users", list: "users", value: "id", label: ["name"] };
  const ui = { user_id: { pick: list }, nonce: { generate: "uuid" as const } };
  const found = withFieldUi(fieldsOf(schema), ui, { creates: true });
  expect(Object.fromEntries(found.map(({ name, ui: { pick } }) => [name, pick]))).toEqual({
    assignee_id: "member",
    blocked_by: "task",
    parent_task_id: "task",
    project_id: "project",
    user_id: list,
    nonce: undefined,
  });
  expect(generatedValues(found)).toEqual({ nonce: expect.stringMatching(/^[\da-f-]{36}$/) as string });
});
