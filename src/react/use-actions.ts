import { useState } from "react";
import type { Leading } from "../client/calls.ts";
import type { ActionOf, ExplanationOf, MovedOf, MoveOf, SomeLifecycle } from "../client/lifecycle.ts";
import type { PawlProblem } from "../client/problem.ts";
import { problemIn } from "./live-query.ts";
import { useClient, useLive } from "./provider.ts";

export type LiveActions<L extends SomeLifecycle> = {
  /** What you may do with the task now, and all the reasons why not. */
  actions: readonly ExplanationOf<L>[];
  loading: boolean;
  /** Does it; null where it was refused, and `refusal` says why. Never rejects, so that a button may forget about it. */
  act: <const Action extends ActionOf<L>>(
    action: Action,
    ...more: Leading<MoveOf<L, Action>>
  ) => Promise<MovedOf<L> | null>;
  /** The action that is under way. */
  acting: ActionOf<L> | null;
  /** Of the last action. */
  refusal: PawlProblem | undefined;
  /** With asking what may be done. */
  problem: PawlProblem | undefined;
};

/** What may be done with a task, kept up to date, and how to do it. */
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
      // What is touched makes no event, and what was refused was perhaps offered too long.
      refetch();
    }
  };
  const live = { actions: data?.actions ?? NONE, loading, problem, act, acting, refusal };
  // What is a text here is a name there: only the types know which.
  return live;
}

const NONE: readonly never[] = [];
