import { expect, test } from "vitest";
import { findNeverStartable } from "../../src/lifecycles/board/demo/scene.ts";

const task = (id: string, blocked_by: string[], has_unresolved_blockers = blocked_by.length > 0) => ({
  id,
  blocked_by,
  has_unresolved_blockers,
});

test("a task whose blocker was canceled can never start; a task whose blocker is open can", () => {
  const open = [
    task("free", []),
    task("blocker open", ["free"]),
    task("blocker done", ["done"], false),
    task("blocker canceled", ["canceled"]),
    task("blocker cannot start", ["blocker canceled"]),
  ];
  expect(findNeverStartable(open).map(({ id }) => id)).toEqual(["blocker canceled"]);
});
