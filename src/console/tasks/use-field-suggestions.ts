import { useMemo } from "react";
import { useQuery } from "@tanstack/react-query";
import type { Task } from "../data/client.ts";
import { queries } from "../data/queries.ts";
import type { Suggestions } from "../forms/schema-form.tsx";
import { useI18n } from "../texts/i18n.tsx";

/** Suggestions for action fields from the task's holds and blockers, so that no one has to enter their ids. */
export function useFieldSuggestions(
  task: Pick<Task, "id"> | undefined,
  fields: readonly string[],
): Suggestions {
  const { n } = useI18n();
  const isWanted = fields.includes("hold_id") || fields.includes("blocker_id");
  const { data } = useQuery({ ...queries.links(task?.id ?? ""), enabled: task !== undefined && isWanted });
  return useMemo(() => {
    if (!data || !task) return {};
    const held = data.holds.filter(({ released_at }) => released_at === null);
    const waitedFor = new Set(
      data.dependencies
        .filter(({ task_id, resolved }) => task_id === task.id && !resolved)
        .map(({ blocker_id }) => blocker_id),
    );
    return {
      hold_id: {
        only: held.length > 0,
        options: held.map(({ id, kind, reason }) => ({
          value: id,
          label: [n.choice(kind), reason].filter(Boolean).join(": "),
        })),
      },
      blocker_id: {
        only: false,
        options: data.tasks
          .filter(({ id }) => waitedFor.has(id))
          .map(({ id, title }) => ({ value: id, label: title })),
      },
    };
  }, [data, task, n]);
}
