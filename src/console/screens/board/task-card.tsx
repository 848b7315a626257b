import { memo } from "react";
import type { KeyboardEvent, PointerEvent } from "react";
import { addresses } from "../../addresses.ts";
import type { Task } from "../../data/client.ts";
import { IconButton } from "../../design/button.tsx";
import { useNow } from "../../design/clock.ts";
import { Icon } from "../../design/icon.tsx";
import { Holder } from "../../tasks/holder.tsx";
import { Optional } from "../../loading/optional.tsx";
import { useUi } from "../../plugins/lifecycle-ui.ts";
import { screensOf } from "../../plugins/screen-components.ts";
import { Link, navigate } from "../../router.tsx";
import { latinKey } from "../../shell/shortcuts.ts";
import { Deadline } from "../../tasks/deadline.tsx";
import { Labels } from "../../tasks/labels.tsx";
import { useI18n } from "../../texts/i18n.tsx";

export type CardActions = {
  grab: (event: PointerEvent<HTMLElement>, task: Task) => void;
  chooseTarget: (task: Task) => void;
};

/** A task on the board with its owner, deadline and blockers. */
export const TaskCard = memo(function TaskCard({
  task,
  actions,
  dragged,
}: {
  task: Task;
  actions: CardActions;
  dragged: boolean;
}) {
  const { t } = useI18n();
  const Own = screensOf(useUi()(task.lifecycle)).card;
  const onKeyDown = (event: KeyboardEvent<HTMLElement>) => {
    if (event.target !== event.currentTarget) return;
    if (event.key === "Enter") navigate(addresses.task(task.id));
    else if (latinKey(event) === "m") actions.chooseTarget(task);
    else if (event.key.startsWith("Arrow")) moveFocus(event.currentTarget, event.key);
    else return;
    event.preventDefault();
  };
  return (
    <article
      className="task-card"
      data-card={task.id}
      data-dragged={dragged}
      data-attention={task.needs_attention}
      tabIndex={0}
      aria-label={task.title}
      title={t.board.moveHint}
      onKeyDown={onKeyDown}
      onPointerDown={(event) => {
        actions.grab(event, task);
      }}
    >
      <div className="row top-line">
        <Link className="task-title" href={addresses.task(task.id)} draggable={false} tabIndex={-1}>
          {task.title}
        </Link>
        <IconButton
          icon="more"
          small
          label={t.board.moveTo(task.title)}
          tabIndex={-1}
          onClick={() => {
            actions.chooseTarget(task);
          }}
        />
      </div>
      <Marks task={task} />
      <div className="row spread small">
        <Holder task={task} />
        <InStatus since={task.entered_at} />
      </div>
      <Deadline task={task} />
      {Own && (
        <Optional>
          <Own task={task} />
        </Optional>
      )}
    </article>
  );
});

function InStatus({ since }: { since: string }) {
  const { t, f } = useI18n();
  const now = useNow(10);
  const span = f.span((now - Date.parse(since)) / 1_000);
  return (
    <span className="faint num" title={t.board.inStatus(span)}>
      {span}
    </span>
  );
}

function Marks({ task }: { task: Task }) {
  const { t } = useI18n();
  return (
    <div className="row marks small">
      {task.needs_attention && (
        <span className="mark" data-tone="warn" title={t.board.attention}>
          <Icon name="alert" /> {t.board.attention}
        </span>
      )}
      {task.open_blockers > 0 && (
        <span className="mark" data-tone="warn" title={t.board.blockers(task.open_blockers)}>
          <Icon name="link" /> {t.board.blockers(task.open_blockers)}
        </span>
      )}
      {task.open_holds > 0 && (
        <span className="mark" data-tone="warn">
          <Icon name="hand" /> {t.board.holds(task.open_holds)}
        </span>
      )}
      {task.attempt > 1 && <span className="mark">{t.board.attempt(task.attempt)}</span>}
      {task.private && (
        <span className="mark" title={t.board.private}>
          <Icon name="lock" />
        </span>
      )}
      <Labels task={task} />
      {task.project_id !== "main" && <span className="mark cut">{task.project_id}</span>}
    </div>
  );
}

/** Moves the focus up or down in a column, or to the nearest card of the next column. */
function moveFocus(card: HTMLElement, key: string): void {
  const column = card.closest<HTMLElement>("[data-column]");
  const cards = (of: Element | null | undefined) => [
    ...(of?.querySelectorAll<HTMLElement>("[data-card]") ?? []),
  ];
  if (key === "ArrowUp" || key === "ArrowDown") {
    const here = cards(column);
    here[here.indexOf(card) + (key === "ArrowDown" ? 1 : -1)]?.focus();
    return;
  }
  const columns = [...document.querySelectorAll<HTMLElement>("[data-column]")];
  const by = key === "ArrowRight" ? 1 : -1;
  const top = card.getBoundingClientRect().top;
  for (let at = columns.indexOf(column as HTMLElement) + by; columns[at]; at += by) {
    const beside = cards(columns[at]);
    if (beside.length === 0) continue;
    const distance = (one: HTMLElement) => Math.abs(one.getBoundingClientRect().top - top);
    beside.reduce((best, one) => (distance(one) < distance(best) ? one : best)).focus();
    return;
  }
}
