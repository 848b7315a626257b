import { expect, test } from "vitest";
import { fieldsOf, fieldErrorsFrom, readValues, valuesFrom } from "./schema.ts";

const TEXTS = { required: "required", number: "number", json: "json" };
const SCHEMA = {
  type: "object",
  required: ["title", "count"],
  properties: {
    title: { type: "string" },
    count: { type: "integer" },
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
  [{ title: "x", count: "1.5" }, { count: "number" }],
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
