import { useQuery } from "@tanstack/react-query";
import type { Lifecycle, Task } from "../data/client.ts";
import { queries } from "../data/queries.ts";
import { Dialog } from "../design/dialog.tsx";
import { Icon } from "../design/icon.tsx";
import { Loaded } from "../design/loaded.tsx";
import { Skeleton } from "../design/states.tsx";
import { StatusChip } from "../design/status.tsx";
import { useI18n } from "../texts/i18n.tsx";
import { moveTargetsOf } from "./move-targets.ts";
import type { MoveTarget } from "./move-targets.ts";
import { useRefusalTexts } from "./use-refusal-texts.ts";
import "./tasks.css";

/** Target statuses with the actions that lead there, or the reasons why not: the alternative to dragging for touch and keyboard. */
export function MoveTargetDialog({
  lifecycle,
  task,
  onChosen,
  onClose,
}: {
  lifecycle: Lifecycle;
  task: Task;
  onChosen: (target: MoveTarget) => void;
  onClose: () => void;
}) {
  const { t, n } = useI18n();
  const refusalTexts = useRefusalTexts(lifecycle.name);
  const explained = useQuery(queries.actions(task.id));
  return (
    <Dialog title={t.board.moveTo(task.title)} onClose={onClose}>
      <Loaded compact of={[explained]} placeholder={<Skeleton lines={4} height={34} />}>
        {(data) => {
          const targets = moveTargetsOf(lifecycle, task.status, data);
          const possible = targets.filter(({ actions }) => actions.length > 0);
          const impossible = targets.filter(({ actions }) => actions.length === 0);
          return (
            <ul className="stack tight">
              {possible.map((target) => (
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
              {impossible.map((target) => (
                <li key={target.status} className="target" data-shut="true">
                  <StatusChip lifecycle={lifecycle.name} status={target.status} />
                  <span className="faint small">{refusalTexts(task.status, target).join(" ")}</span>
                </li>
              ))}
            </ul>
          );
        }}
      </Loaded>
    </Dialog>
  );
}
