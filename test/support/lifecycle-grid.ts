import { describe, expect, test } from "vitest";
import { check } from "../../src/core/index.ts";
import type { Actor, Decision, Lifecycle } from "../../src/core/index.ts";
import { outcomeOf } from "./situation.ts";

/**
 * Tests the definition of a lifecycle: it passes `check`, and each cell of the grid has the declared outcome. The grid covers every
 * status, action and kind of actor.
 */
export function testLifecycle({
  lifecycle,
  actors,
  grid,
  decide,
}: {
  lifecycle: Lifecycle;
  actors: Readonly<Record<string, Actor>>;
  grid: string;
  decide: (cell: Cell) => Decision;
}): void {
  const cells = cellsOf(lifecycle, grid);
  describe(`the rules of ${lifecycle.name}`, () => {
    test("pass `pawl check`", () => {
      expect(check(lifecycle).findings).toEqual([]);
    });

    test("cover every status, action and kind of actor", () => {
      expect(cellsMissing(lifecycle, Object.keys(actors), cells)).toEqual([]);
    });

    test.each(cells)("$status --$action--> by $actor ($setup) is $expected", (cell) => {
      expect(outcomeOf(decide(cell), cell.status)).toBe(cell.expected);
    });
  });
}

type Cell = { action: string; setup: string; actor: string; status: string; expected: string };

/**
 * Parses a grid: `action, action | setup | actor, actor | cell | cell …`, with one column per status of the header line. "*" means
 * every action, "." INVALID_TRANSITION, "x" FORBIDDEN, "=" a change that keeps the status, and "" an impossible cell.
 */
function cellsOf(lifecycle: Lifecycle, grid: string): Cell[] {
  const [head = "", ...lines] = grid.trim().split("\n");
  const statuses = columns(head).slice(3);
  return lines
    .filter((line) => line.trim() !== "")
    .flatMap((line) => {
      const [named = "", setup = "", actors = "", ...cells] = columns(line);
      if (cells.length !== statuses.length)
        throw new Error(`a line of the grid has ${cells.length} cells: ${line}`);
      const actions = named === "*" ? Object.keys(lifecycle.actions) : listed(named);
      return actions.flatMap((action) =>
        listed(actors).flatMap((actor) =>
          cells.flatMap((cell, column): Cell[] => {
            const expected = ABBREVIATED[cell] ?? cell;
            return cell === "" ? [] : [{ action, setup, actor, status: statuses[column] ?? "", expected }];
          }),
        ),
      );
    });
}

const ABBREVIATED: Record<string, string> = { ".": "INVALID_TRANSITION", x: "FORBIDDEN" };

function listed(names: string): string[] {
  return names.split(",").map((name) => name.trim());
}

function columns(line: string): string[] {
  return line.split("|").map((cell) => cell.trim());
}

/** Every status × action × actor that a grid leaves out. */
function cellsMissing(lifecycle: Lifecycle, actors: readonly string[], cells: readonly Cell[]): string[] {
  const covered = new Set(cells.map((cell) => `${cell.status} ${cell.action} ${cell.actor}`));
  return Object.keys(lifecycle.statuses).flatMap((status) =>
    Object.keys(lifecycle.actions).flatMap((action) =>
      actors.map((actor) => `${status} ${action} ${actor}`).filter((cell) => !covered.has(cell)),
    ),
  );
}
