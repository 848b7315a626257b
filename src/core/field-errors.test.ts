import { expect, test } from "vitest";
import { z } from "zod";
import { fieldErrors } from "./field-errors.ts";

const schema = z.object({
  status: z.array(z.enum(["NEW", "DONE"])).optional(),
  kind: z.literal("human").optional(),
  size: z.int().optional(),
});

test.each([
  [{ status: ["NEW", "DON"] }, "status.1", 'must be one of NEW, DONE; did you mean "DONE"?'],
  [{ status: ["archived"] }, "status.0", "must be one of NEW, DONE"],
  [{ kind: "robot" }, "kind", 'Invalid input: expected "human"'],
  [{ size: "x" }, "size", "Invalid input: expected number, received string"],
  [{ status: [7] }, "status.0", 'Invalid option: expected one of "NEW"|"DONE"'],
])("%j is an error of the field %s: %s", (sent, path, message) => {
  const { error } = schema.safeParse(sent);
  expect(fieldErrors(error?.issues ?? [], sent)).toEqual([{ path, message }]);
});
