import { expect, test } from "vitest";
import type { JournalEntry } from "../../data/client.ts";
import { foldRepeats } from "./fold-repeats.ts";

/** Entries as `action` or `action:comment`. */
function entries(line: string): JournalEntry[] {
  return line.split(" ").map((one, index) => {
    const [action = "", comment = null] = one.split(":");
    return {
      id: String(index),
      action,
      comment,
      actor_id: "ann",
      from_status: "a",
      to_status: "b",
    } as unknown as JournalEntry;
  });
}

test.each([
  ["create claim done", ["create", "claim", "done"]],
  ["beat beat", ["beat", "beat"]],
  ["beat beat beat beat", ["beat +3"]],
  ["claim fail claim fail claim fail done", ["claim fail +4", "done"]],
  ["claim fail retry claim fail retry claim fail retry", ["claim fail retry +6"]],
  ["say:one say:two say:three", ["say", "say", "say"]],
  ["say:same say:same say:same", ["say +2"]],
  ["create beat beat beat claim claim claim", ["create", "beat +2", "claim +2"]],
])("the journal %s is shown as %j", (line, expected) => {
  const given = entries(line);
  const folds = foldRepeats(given);
  expect(
    folds.map(({ shown, folded }) =>
      [...shown.map(({ action }) => action), ...(folded.length > 0 ? [`+${folded.length}`] : [])].join(" "),
    ),
  ).toEqual(expected);
  // Nothing is lost, and the order stays.
  expect(folds.flatMap(({ shown, folded }) => [...shown, ...folded])).toEqual(given);
});
