import { useState } from "react";
import type { OptionalArg } from "../client/calls.ts";
import type { ActionOf, ExplanationOf, MovedOf, MoveOf, SomeLifecycle } from "../client/lifecycle.ts";
import type { PawlProblem } from "../client/problem.ts";
import { problemIn } from "./live-query.ts";
import { useClient, useLive } from "./provider.ts";

export type LiveActions<L extends SomeLifecycle> = {
  /** The actions of the task: allowed for the user now, or all the reasons why not. */
  actions: readonly ExplanationOf<L>[];
  loading: boolean;
  /** Performs an action. Never rejects, so a button can ignore the promise: if refused, it resolves to null and sets `refusal`. */
  act: <const Action extends ActionOf<L>>(
    action: Action,
    ...more: OptionalArg<MoveOf<L, Action>>
  ) => Promise<MovedOf<L> | null>;
  /** The running action. */
  acting: ActionOf<L> | null;
  /** The refusal of the last action. */
  refusal: PawlProblem | undefined;
  /** The problem with fetching `actions`. */
  problem: PawlProblem | undefined;
};

/** Returns the live actions of a task, and a function to perform them. */
export function useActions<L extends SomeLifecycle = SomeLifecycle>(id: string): LiveActions<L> {
  const client = useClient();
  const { data, loading, problem, refetch } = useLive(`actions ${id}`, ({ explainTask }) => ({
    ask: (signal) => explainTask({ id }, { signal }),
    concerns: ({ task_id }) => task_id === id,
  }));
  const [acting, setActing] = useState<string | null>(null);
  const [refusal, setRefusal] = useState<PawlProblem>();
  const act = async (action: string, more: object = {}) => {
    setActing(action);
    setRefusal(undefined);
    try {
      return await client.moveTask({ ...more, id, action });
    } catch (error) {
      setRefusal(problemIn(error));
      return null;
    } finally {
      setActing(null);
      // Fetch again: a touch sends no event, and a refused action may have been listed as allowed for too long.
      refetch();
    }
  };
  const live = { actions: data?.actions ?? NONE, loading, problem, act, acting, refusal };
  // At run time names are plain strings; only the types restrict them to the lifecycle's.
  return live;
}

const NONE: readonly never[] = [];
