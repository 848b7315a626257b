import { expect, test } from "vitest";
import { z } from "zod";
import { dataCheckOf } from "./data-check.ts";

const FIELDS: Record<string, z.ZodType> = {
  text: z.string(),
  short: z.string().max(2),
  trimmed: z.string().regex(/^\S*$/),
  email: z.email(),
  amount: z.number(),
  positive: z.number().positive(),
  whole: z.int(),
  small: z.int32(),
  flag: z.boolean(),
  list: z.array(z.string()),
  filled: z.array(z.string()).min(1),
  choice: z.enum(["a", "b"]),
  object: z.object({ id: z.string() }),
  union: z.union([z.string(), z.number()]),
};
const VALUES: unknown[] = [
  ...["", "a", "abc", " a", "a@b.cd", "2026"],
  ...[0, 1, -1, 1.5, 2 ** 31, 2 ** 53, NaN, Infinity],
  ...[true, false, null, [], ["a"], [1], {}, { id: "x" }, { id: 1 }],
];

for (const [name, plain] of Object.entries(FIELDS))
  for (const [kind, field] of [
    ["", plain],
    [" or null", plain.nullable()],
    [" or nothing", plain.optional()],
    [" or null or nothing", plain.nullish()],
    [" or null, refined", plain.nullable().refine((value) => value !== "a" && value !== 1)],
  ] as const)
    test(`the data check accepts what the schema accepts: ${name}${kind}`, () => {
      const { patch } = dataCheckOf("errand", z.object({ field }));
      for (const value of VALUES)
        expect([value, patch({ field: value }, "go") === null]).toEqual([
          value,
          field.safeParse(value).success,
        ]);
    });
