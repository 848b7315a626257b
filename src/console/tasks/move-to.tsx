import { useQuery } from "@tanstack/react-query";
import type { Lifecycle, Task } from "../data/client.ts";
import { queries } from "../data/queries.ts";
import { Dialog } from "../design/dialog.tsx";
import { Icon } from "../design/icon.tsx";
import { Loaded } from "../design/loaded.tsx";
import { Skeleton } from "../design/states.tsx";
import { StatusChip } from "../design/status.tsx";
import { useI18n } from "../texts/i18n.tsx";
import { targetsOf } from "./targets.ts";
import type { Target } from "./targets.ts";
import { useReasons } from "./use-reasons.ts";
import "./tasks.css";

/** Where a task may go, and where not and why: what dragging shows, for fingers and keys. */
export function MoveTo({
  lifecycle,
  task,
  onChosen,
  onClose,
}: {
  lifecycle: Lifecycle;
  task: Task;
  onChosen: (target: Target) => void;
  onClose: () => void;
}) {
  const { t, n } = useI18n();
  const reasonsOf = useReasons(lifecycle.name);
  const explained = useQuery(queries.actions(task.id));
  return (
    <Dialog title={t.board.moveTo(task.title)} onClose={onClose}>
      <Loaded compact of={[explained]} placeholder={<Skeleton lines={4} height={34} />}>
        {(data) => {
          const targets = targetsOf(lifecycle, task.status, data);
          const open = targets.filter(({ actions }) => actions.length > 0);
          const shut = targets.filter(({ actions }) => actions.length === 0);
          return (
            <ul className="stack tight">
              {open.map((target) => (
                <li key={target.status}>
                  <button
                    type="button"
                    className="target"
                    onClick={() => {
                      onChosen(target);
                    }}
                  >
                    <StatusChip lifecycle={lifecycle.name} status={target.status} />
                    <span className="soft">{target.actions.map(n.action).join(" / ")}</span>
                    <Icon name="arrow" />
                  </button>
                </li>
              ))}
              {shut.map((target) => (
                <li key={target.status} className="target" data-shut="true">
                  <StatusChip lifecycle={lifecycle.name} status={target.status} />
                  <span className="faint small">{reasonsOf(task.status, target).join(" ")}</span>
                </li>
              ))}
            </ul>
          );
        }}
      </Loaded>
    </Dialog>
  );
}
