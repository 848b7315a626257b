import { refuse } from "../../core/index.ts";
import type { Change, Guard, StandardFacts, View } from "../../core/index.ts";
import { PAUSED } from "./extensions.ts";
import { BUDGET } from "./usage.ts";

type Data = { auto_unblock: boolean };
type ObstacleData = {
  continues?: "answer" | null | undefined;
  blocked_reason: string | null;
  obstacle: { blocker_id: string | null; description: string | null; question?: boolean } | null;
};
type Facts = StandardFacts & { named_blocker: { final: boolean; waits_for_this: boolean } | null };
type Input = {
  blocker_id?: string | null | undefined;
  description?: string | null | undefined;
  question?: boolean | undefined;
  hold_id?: string | null | undefined;
};
type ObstacleView = View<string, Data, unknown, Facts, Input>;

export const obstacleGuards = {
  blocker_can_be_awaited: ({ input, facts }) => {
    if (!input.blocker_id) return true;
    const named = facts.named_blocker;
    if (!named) return refuse("NOT_FOUND", `There is no task ${input.blocker_id} in this project.`);
    if (named.final)
      return refuse("BLOCKER_FINISHED", `${input.blocker_id} is finished: there is nothing to wait for.`);
    return (
      !named.waits_for_this ||
      refuse("CYCLIC_DEPENDENCY", `${input.blocker_id} already waits for this task.`, {
        blocker_id: input.blocker_id,
      })
    );
  },
  hold_is_open: ({ facts, input }) =>
    findHold(facts.holds, input.hold_id) !== null ||
    refuse("NOT_FOUND", `The task has no open blocker${input.hold_id ? ` ${input.hold_id}` : ""} to clear.`),
} as const satisfies Record<string, Guard<ObstacleView>>;

export const obstacleEffects = {
  note_obstacle: ({ input }: ObstacleView): Change<ObstacleData> => ({
    data: {
      obstacle: {
        blocker_id: input.blocker_id ?? null,
        description: input.description ?? null,
        ...(input.question === true ? { question: true } : {}),
      },
    },
  }),
  note_blocker: {
    change: ({ task, input }: ObstacleView): Change<ObstacleData> => ({
      data: {
        blocked_reason: input.description ?? null,
        obstacle: null,
        // The agent that asked continues with the answer.
        continues: input.question === true ? "answer" : null,
      },
      ...(becomesTask(task.data, input)
        ? { open_blockers: task.open_blockers + 1 }
        : { open_holds: task.open_holds + 1, needs_attention: true }),
    }),
    side_effects: ({ task, input }: ObstacleView) => [
      becomesTask(task.data, input)
        ? {
            kind: "add_blocker",
            blocker_id: input.blocker_id ?? null,
            description: input.description ?? null,
          }
        : { kind: "place_hold", hold_kind: "blocker", reason: input.description ?? null },
    ],
  },
  close_hold: {
    change: ({ task }: ObstacleView): Change<ObstacleData> => ({
      open_holds: Math.max(0, task.open_holds - 1),
      needs_attention: false,
    }),
    side_effects: ({ facts, input }: ObstacleView) => [
      { kind: "release_hold", hold_id: findHold(facts.holds, input.hold_id) ?? input.hold_id },
    ],
  },
};

/** Returns whether a blocker is a task, named or to be created; otherwise it is a hold that a person clears. */
function becomesTask({ auto_unblock }: Data, { blocker_id, question }: Input): boolean {
  return Boolean(blocker_id) || (auto_unblock && question !== true);
}

function findHold(holds: StandardFacts["holds"], named: string | null | undefined): string | null {
  // `resume` lifts a pause.
  const blockers = (holds ?? []).filter(({ kind }) => kind !== PAUSED && kind !== BUDGET);
  return blockers.find(({ id }) => named == null || id === named)?.id ?? null;
}
