import { Fragment, useState } from "react";
import type { Explanation, Lifecycle, Task } from "../../data/client.ts";
import { Icon } from "../../design/icon.tsx";
import { useStatusLabel } from "../../design/status.tsx";
import { useI18n } from "../../texts/i18n.tsx";
import { TaskLink } from "../../tasks/task-link.tsx";
import { groupRefusals, WRONG_STATUS } from "./group-refusals.ts";
import type { Refusal } from "./group-refusals.ts";

/** The actions that the member cannot run now, by reason. */
export function Refused({
  task,
  lifecycle,
  actions,
}: {
  task: Task;
  lifecycle: Lifecycle;
  actions: readonly Explanation[];
}) {
  const { t, n } = useI18n();
  const label = useStatusLabel(task.lifecycle);
  const [showsCodes, setShowsCodes] = useState(false);
  const sentence = (refusal: Refusal) => {
    const { who, roles } = refusal.params;
    if (refusal.code === WRONG_STATUS) return t.task.notInStatus(label(task.status));
    // The server's sentences name the action, so that each would be a group of its own.
    if (refusal.code === "FORBIDDEN" && typeof who === "string") return t.task.onlyFor(n.who(who));
    if (refusal.code === "FORBIDDEN" && Array.isArray(roles)) return t.task.notYourRole;
    return n.refusal(refusal, label);
  };
  const groups = groupRefusals(lifecycle, actions, sentence);
  if (groups.length === 0) return null;
  const startsOf = (action: string) =>
    [...new Set(lifecycle.rules.flatMap((rule) => (rule.action === action ? rule.from : [])))].map(label);
  return (
    <details className="refused">
      <summary>
        <Icon name="right" />
        {t.task.unavailableActions}
        <span className="badge">{new Set(groups.flatMap((group) => group.actions)).size}</span>
      </summary>
      <ul>
        {groups.map(({ sentence: text, refusal, actions: names }) => (
          <li key={text}>
            <span className="soft">
              <WithTaskLinks text={text} />
              {showsCodes && <code className="faint"> {refusal.code}</code>}
            </span>
            <ul className="row wrap">
              {names.map((action) => (
                <li
                  key={action}
                  className="tag"
                  title={
                    refusal.code === WRONG_STATUS
                      ? t.task.possibleFrom(startsOf(action).join(", "))
                      : undefined
                  }
                >
                  {n.action(action)}
                </li>
              ))}
            </ul>
          </li>
        ))}
      </ul>
      <label className="check small soft">
        <input
          type="checkbox"
          checked={showsCodes}
          onChange={(event) => {
            setShowsCodes(event.target.checked);
          }}
        />
        {t.task.showCodes}
      </label>
    </details>
  );
}

const UUID = /([\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12})/i;

/** A sentence in which the ids of tasks are links with their titles. */
function WithTaskLinks({ text }: { text: string }) {
  return text
    .split(UUID)
    .map((part, index) => <Fragment key={index}>{index % 2 === 1 ? <TaskLink id={part} /> : part}</Fragment>);
}
