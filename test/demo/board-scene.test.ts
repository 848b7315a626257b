import { expect, test } from "vitest";
import { doomed } from "../../src/lifecycles/board/demo/scene.ts";

const task = (id: string, blocked_by: string[], has_unresolved_blockers = blocked_by.length > 0) => ({
  id,
  blocked_by,
  has_unresolved_blockers,
});

test("what waits for something that was called off can never begin; what waits for something open can", () => {
  const open = [
    task("free", []),
    task("waits", ["free"]),
    task("waited", ["done"], false),
    task("hopeless", ["called off"]),
    task("waits for the hopeless", ["hopeless"]),
  ];
  expect(doomed(open).map(({ id }) => id)).toEqual(["hopeless"]);
});
