import { expect, test } from "vitest";
import { randomUuids } from "./random-uuids.ts";
import { isUuid } from "./uuid.ts";

test.each([0, 1, 2, 500])("%i random UUIDs are different and of version 4", (count) => {
  const made = randomUuids(count);
  expect(new Set(made).size).toBe(count);
  for (const one of made) {
    expect(isUuid(one)).toBe(true);
    expect(one).toMatch(/^.{14}4.{4}[89ab]/);
  }
});

test("every digit of random UUIDs varies", () => {
  const made = randomUuids(2_000);
  for (const at of [0, 1, 7, 9, 12, 15, 17, 20, 22, 24, 35])
    expect(new Set(made.map((one) => one[at])).size).toBe(16);
});
