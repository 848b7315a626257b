import { expect, test } from "vitest";
import { openTestEngine } from "../test-engine.ts";

const { sql } = await openTestEngine();

test.each([
  ["text[]", []],
  ["text[]", ["", "a", "NULL", 'say "so"', "back\\slash", "{x,y}", " padded ", "line\nbreak", "смена", null]],
  ["uuid[]", ["0197a000-0000-7000-8000-000000000001"]],
  ["integer[]", [-1, 0, 2_147_483_647, null]],
  ["bigint[]", ["9007199254740993"]],
  ["float8[]", [0.1, -2.5e300]],
])("a %s of %j is returned unchanged", async (type, array) => {
  const [row] = await sql.unsafe(`select $1::${type} as value`, [array as never], { prepare: true });
  expect(row?.value).toEqual(array);
});
