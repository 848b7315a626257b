import { useMutation, useQueryClient } from "@tanstack/react-query";
import { client } from "../data/client.ts";
import type { Moved, Task } from "../data/client.ts";
import { keys } from "../data/keys.ts";
import { placeTask } from "../data/live.ts";
import { keepLeaseToken } from "./lease-tokens.ts";

export type Move = {
  action: string;
  comment?: string;
  payload?: Record<string, unknown>;
  lease_token?: string;
  expected_row_version?: number;
};

/** `mutateAsync` throws a refusal. */
export type Act = { mutateAsync: (move: Move) => Promise<Moved>; isPending: boolean };

/** Performs an action on a task, and shows at once what the server made of it. Nothing is shown before it is done. */
export function useAct(task: Pick<Task, "id">): Act {
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: (move: Move) => client.moveTask({ id: task.id, ...move }),
    onSuccess: (moved) => {
      keepLeaseToken(task.id, moved.lease_token);
      placeTask(queryClient, task.id, moved.task);
      void queryClient.invalidateQueries({ queryKey: keys.overviews });
    },
    onSettled: () => queryClient.invalidateQueries({ queryKey: keys.task(task.id) }),
  });
}
