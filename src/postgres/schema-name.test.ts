import { expect, test } from "vitest";
import {
  checkSchemaName,
  isSchemaName,
  rewriteSchema,
  schemaRewriter,
  withoutSchema,
} from "./schema-name.ts";

test.each([
  ["select 1 from pawl.task t", 'select 1 from "my shop".task t'],
  ['select "pawl".task.id', 'select "my shop".task.id'],
  ["'pawl.migration'::regclass", `'"my shop".migration'::regclass`],
  ["c.relnamespace = 'pawl'::regnamespace", `c.relnamespace = '"my shop"'::regnamespace`],
  ["n.nspname = 'pawl'::name", "n.nspname = 'my shop'::name"],
  ["pg_notify('pawl_commits', hint)", "pg_notify('my shop_commits', hint)"],
  ["create schema pawl", 'create schema "my shop"'],
  ["GRANT USAGE ON SCHEMA pawl TO ann", 'GRANT USAGE ON SCHEMA "my shop" TO ann'],
  [
    "set search_path = pg_catalog, pawl, pg_temp as $$",
    'set search_path = pg_catalog, "my shop", pg_temp as $$',
  ],
  ["set search_path to pawl", 'set search_path to "my shop"'],
  ["where k = 'https://pawl.dev' or k = 'me@pawl.dev'", "where k = 'https://pawl.dev' or k = 'me@pawl.dev'"],
  ["select 'pawl', application_name like 'pawl%'", "select 'pawl', application_name like 'pawl%'"],
  ["from other_pawl.task, x.pawl.y, pawls.z", "from other_pawl.task, x.pawl.y, pawls.z"],
  ["savepoint pawl", "savepoint pawl"],
])("%s", (text, expected) => {
  expect(rewriteSchema(text, "my shop")).toBe(expected);
});

test("the seed of advisory locks differs between schemas", () => {
  const lock = "select pg_advisory_xact_lock(hashtextextended($1, 0 /* pawl */))";
  const [one, other] = [rewriteSchema(lock, "one"), rewriteSchema(lock, "other")];
  expect(one).toMatch(/^select pg_advisory_xact_lock\(hashtextextended\(\$1, \d{3,}\)\)$/);
  expect(other).not.toBe(one);
});

test("each text is rewritten once", () => {
  const rewrite = schemaRewriter("shop");
  const text = "select from pawl.task";
  expect(rewrite(text)).toBe('select from "shop".task');
  expect(Object.is(rewrite(text), rewrite(text))).toBe(true);
});

test("a definition without its schema is the same in every schema", () => {
  const body =
    "select 'pawl'::regnamespace from pawl.task where pg_notify('pawl_inbox', '') and f(0 /* pawl */)";
  const inShop = rewriteSchema(body, "my.shop");
  expect(withoutSchema(inShop, "my.shop")).toBe(withoutSchema(body, "pawl"));
});

test.each(["shop", "My Shop", "a.b", "магазин", "x;drop table y", "a".repeat(48)])("%s is valid", (name) => {
  expect(isSchemaName(name)).toBe(true);
});

test.each([
  "",
  "  ",
  "a'b",
  'a"b',
  "a$b",
  "a\\b",
  "a\nb",
  "pg_shop",
  "PG_x",
  "information_schema",
  "a".repeat(49),
  7,
])("%j is refused in a sentence", (name) => {
  expect(() => {
    checkSchemaName(name);
  }).toThrow(/^schema must be a name of at most 48 bytes that does not begin with pg_/);
});
