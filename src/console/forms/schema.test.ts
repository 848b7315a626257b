import { expect, test } from "vitest";
import { fieldsOf, mistakesIn, readValues, valuesFrom } from "./schema.ts";

const SAY = { required: "required", number: "number", json: "json" };
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
    limits: { type: "object", properties: { most: { type: "number" } } },
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

test("a schema gives a field for each property, those that must be given first", () => {
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

test("what is written is read as the schema means it, and what is left out is not sent", () => {
  const { payload, mistakes } = readValues(
    fields,
    { title: " Weld ", count: "3", tags: "a, b\nc", limits: { most: "1,5" }, extra: '{"x": 1}', owner: "" },
    SAY,
  );
  expect(mistakes).toEqual({});
  expect(payload).toEqual({
    title: "Weld",
    count: 3,
    tags: ["a", "b", "c"],
    limits: { most: 1.5 },
    extra: { x: 1 },
  });
});

test.each([
  [{ count: "1" }, { title: "required" }],
  [{ title: "x", count: "1.5" }, { count: "number" }],
  [{ title: "x", count: "many" }, { count: "number" }],
  [{ title: "x", count: "1", limits: { most: "?" } }, { "limits.most": "number" }],
  [{ title: "x", count: "1", extra: "{" }, { extra: "json" }],
  [{ title: "x", count: "1", defect: { what: " ", bad: false } }, {}],
  [{ title: "x", count: "1", defect: { bad: true } }, { "defect.what": "required" }],
])("%j is told as %j", (values, mistakes) => {
  expect(readValues(fields, values, SAY).mistakes).toEqual(mistakes);
});

test("what is known is written as it would be read", () => {
  const known = {
    title: "Weld",
    count: 3,
    tags: ["a", "b"],
    urgent: true,
    limits: { most: 2 },
    extra: { x: 1 },
  };
  expect(readValues(fields, valuesFrom(fields, known), SAY).payload).toEqual(known);
});

test("the server's mistakes are told at their fields", () => {
  expect(mistakesIn({ errors: [{ path: "payload.count", message: "too small" }] })).toEqual({
    count: "too small",
  });
  expect(mistakesIn({})).toEqual({});
});
