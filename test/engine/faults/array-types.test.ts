import { expect, test } from "vitest";
import { openDesk } from "../desk.ts";

const { sql } = await openDesk();

test.each([
  ["text[]", []],
  ["text[]", ["", "a", "NULL", 'say "so"', "back\\slash", "{x,y}", " padded ", "line\nbreak", "смена", null]],
  ["uuid[]", ["0197a000-0000-7000-8000-000000000001"]],
  ["integer[]", [-1, 0, 2_147_483_647, null]],
  ["bigint[]", ["9007199254740993"]],
  ["float8[]", [0.1, -2.5e300]],
])("a %s of %j comes back as it went", async (type, array) => {
  const [row] = await sql.unsafe(`select $1::${type} as there`, [array as never], { prepare: true });
  expect(row?.there).toEqual(array);
});
