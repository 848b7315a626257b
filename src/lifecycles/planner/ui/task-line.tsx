import type { ReactNode } from "react";
import { addresses, Icon, Link, Person, useTexts } from "../../../console/index.ts";
import { DueMark } from "./due-mark.tsx";
import type { PlannerTask } from "./planner-calls.ts";
import { TEXTS } from "./texts.ts";

/** A task in two lines: title, trade, priority, flags and contributors. */
export function TaskLine({ task, children }: { task: PlannerTask; children?: ReactNode }) {
  const texts = useTexts(TEXTS);
  return (
    <div className="stack tight">
      <Link className="line-title" href={addresses.task(task.id)}>
        {task.title}
      </Link>
      <div className="row wrap small">
        {children}
        <span className="tag">{task.required_trade ?? texts.anyTrade}</span>
        {task.priority !== 0 && <span className="faint num">{texts.priority(task.priority)}</span>}
        <DueMark task={task} />
        {task.kind === "fix" && (
          <span className="chip plain" data-tone="violet">
            {texts.fix}
          </span>
        )}
        {task.needs_attention && (
          <span className="chip plain" data-tone="warn">
            <Icon name="alert" />
          </span>
        )}
        {task.contributors.length > 0 && (
          <span className="row faint">
            {texts.helpedBy}
            {task.contributors.map((id) => (
              <Person key={id} id={id} />
            ))}
          </span>
        )}
      </div>
    </div>
  );
}
