import { useQuery } from "@tanstack/react-query";
import { addresses } from "../../addresses.ts";
import { PawlProblem } from "../../data/client.ts";
import type { Task } from "../../data/client.ts";
import { useRememberTask } from "../../data/recent-tasks.ts";
import { queries } from "../../data/queries.ts";
import { Icon } from "../../design/icon.tsx";
import { Loaded } from "../../design/loaded.tsx";
import { Skeleton, EmptyState } from "../../design/states.tsx";
import { StatusChip } from "../../design/status.tsx";
import { useUi } from "../../plugins/lifecycle-ui.ts";
import { screensOf } from "../../plugins/screen-components.ts";
import { Boundary } from "../../loading/boundary.tsx";
import { lazyComponent } from "../../loading/lazy-component.tsx";
import { Link } from "../../router.tsx";
import { usePageTitle } from "../../shell/page-title.ts";
import { NamesOf, useI18n } from "../../texts/i18n.tsx";
import { ActionPanel } from "./action-panel.tsx";
import { Attempts } from "./attempts.tsx";
import { CommonFields } from "./common-fields.tsx";
import { Details } from "./details.tsx";
import { EditInPlace } from "./edit-in-place.tsx";
import { Holds } from "./holds.tsx";
import { Journal } from "./journal.tsx";
import { PageTools } from "./page-tools.tsx";
import "./task.css";

const LinkGraph = lazyComponent(async () => ({ default: (await import("./link-graph.tsx")).LinkGraph }));

/** Page of one task: its fields, journal and actions. */
export function TaskScreen({ id = "" }: { id?: string }) {
  const { t } = useI18n();
  const taskQuery = useQuery(queries.task(id));
  const { data, error } = taskQuery;
  usePageTitle(data?.title ?? "");
  if (!data && error instanceof PawlProblem && error.status === 404)
    return <EmptyState icon="search" title={t.task.notFound} hint={t.task.notFoundHint} />;
  return (
    <Loaded of={[taskQuery]} placeholder={<Skeleton lines={8} height={22} />}>
      {(task) => (
        <NamesOf lifecycle={task.lifecycle}>
          <TaskContent task={task} />
        </NamesOf>
      )}
    </Loaded>
  );
}

function TaskContent({ task }: { task: Task }) {
  const { t } = useI18n();
  useRememberTask(task);
  const { data: journal } = useQuery(queries.journal(task.id));
  const ui = useUi()(task.lifecycle);
  const Panel = ui.panel === null ? null : screensOf(ui).panel;
  const panelShowsAttempts = ui.panel === "attempts";
  return (
    <>
      <header className="stack tight">
        <nav className="crumbs small" aria-label={t.task.lifecycle}>
          <Link href={addresses.board(task.lifecycle)}>{task.lifecycle}</Link>
          <Icon name="right" />
          <span className="faint">{task.project_id}</span>
          <PageTools id={task.id} />
        </nav>
        <div className="page-head">
          <EditInPlace key={task.id} task={task} name="title">
            <h1>{task.title}</h1>
          </EditInPlace>
          <StatusChip lifecycle={task.lifecycle} status={task.status} />
          {task.needs_attention && (
            <span className="chip" data-tone="warn">
              {t.board.attention}
            </span>
          )}
          {task.private && (
            <span className="tag">
              <Icon name="lock" /> {t.board.private}
            </span>
          )}
        </div>
      </header>
      <div className="task-page">
        <div className="stack">
          <ActionPanel task={task} />
          {Panel && (
            <Boundary around="part" placeholder={<Skeleton lines={3} />}>
              <Panel task={task} />
            </Boundary>
          )}
          <Details task={task} />
          <Boundary around="part" placeholder={<div className="card bone graph-bone" />}>
            <LinkGraph task={task} />
          </Boundary>
          <Journal task={task} entries={journal} />
        </div>
        <div className="stack">
          <CommonFields task={task} />
          <Holds task={task} />
          {!panelShowsAttempts && <Attempts task={task} entries={journal ?? []} />}
        </div>
      </div>
    </>
  );
}
