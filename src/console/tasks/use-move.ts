import { useMutation, useQueryClient } from "@tanstack/react-query";
import { client } from "../data/client.ts";
import type { Moved, Task } from "../data/client.ts";
import { keys } from "../data/keys.ts";
import { placeTask } from "../data/live.ts";
import { keepLeaseToken } from "./lease-tokens.ts";

export type MoveRequest = {
  action: string;
  comment?: string;
  payload?: Record<string, unknown>;
  lease_token?: string;
  expected_row_version?: number;
};

/** `mutateAsync` throws the refusal. */
export type MoveMutation = { mutateAsync: (move: MoveRequest) => Promise<Moved>; isPending: boolean };

/** Runs an action on a task and shows the new state as soon as the server replies; not an optimistic update. */
export function useMove(task: Pick<Task, "id">): MoveMutation {
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: (move: MoveRequest) => client.moveTask({ id: task.id, ...move }),
    onSuccess: (moved) => {
      keepLeaseToken(task.id, moved.lease_token);
      placeTask(queryClient, task.id, moved.task);
      void queryClient.invalidateQueries({ queryKey: keys.overviews });
    },
    onSettled: () => queryClient.invalidateQueries({ queryKey: keys.task(task.id) }),
  });
}
