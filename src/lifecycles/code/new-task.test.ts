import { expect, test } from "vitest";
import { decideCreation, draftOf } from "../../core/index.ts";
import { member, NOW } from "../../../test/support/situation.ts";
import { code } from "./lifecycle.ts";

test.each([
  [0, "ready"],
  [1, "blocked"],
])("a new task with %i open blockers is %s", (open_blockers, status) => {
  const view = {
    input: code.creation.input.parse({ title: "Add a flag", max_attempts: 5 }),
    actor: member("human", ["lead"]),
    settings: code.settings.parse({}),
    facts: {},
    now: NOW,
  };
  const place = { id: "1", org_id: "main", project_id: "main", open_blockers };
  expect(decideCreation(code, view, draftOf(code, view), place)).toMatchObject({
    task: { status, data: { max_attempts: 5 } },
  });
});
