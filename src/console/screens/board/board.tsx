import { useCallback, useMemo, useState } from "react";
import { useQuery } from "@tanstack/react-query";
import type { Lifecycle, Task } from "../../data/client.ts";
import { queries, useMe } from "../../data/queries.ts";
import { Button } from "../../design/button.tsx";
import { Skeleton, EmptyState, ErrorState } from "../../design/states.tsx";
import { toast } from "../../design/toasts.tsx";
import { useSearch } from "../../router.tsx";
import { CreateDialog } from "../../tasks/create-dialog.tsx";
import { Filters, useFilters } from "../../tasks/filters.tsx";
import { LifecycleHead } from "../../tasks/lifecycle-head.tsx";
import { isFor } from "../../tasks/may.ts";
import { MoveDialog } from "../../tasks/move-dialog.tsx";
import { MoveTo } from "../../tasks/move-to.tsx";
import type { Target } from "../../tasks/targets.ts";
import { useReasons } from "../../tasks/use-reasons.ts";
import { useI18n } from "../../texts/i18n.tsx";
import { Column } from "./column.tsx";
import { useDrag } from "./drag.ts";
import "./board.css";

/** The tasks of a lifecycle in columns by status, to be seen and to be moved. */
export function Board({ lifecycle: name = "" }: { lifecycle?: string }) {
  const { t } = useI18n();
  const me = useMe();
  const [search, change] = useSearch();
  const { data: lifecycle, error, refetch } = useQuery(queries.lifecycle(name));
  const showsFinished = search.get("finished") === "1";
  const creating = search.get("new") === "1";
  if (error) return <ErrorState error={error} onRetry={() => void refetch()} />;
  return (
    <>
      <LifecycleHead lifecycle={name}>
        {lifecycle && isFor(lifecycle.creation.roles, me.roles) && (
          <Button
            look="main"
            icon="plus"
            onClick={() => {
              change({ new: "1" });
            }}
          >
            {t.board.newTask}
          </Button>
        )}
      </LifecycleHead>
      <div className="row wrap">
        <Filters />
        <label className="check push small">
          <input
            type="checkbox"
            checked={showsFinished}
            onChange={(event) => {
              change({ finished: event.target.checked ? "1" : null });
            }}
          />
          {t.board.showFinished}
        </label>
      </div>
      {lifecycle ? (
        <Columns lifecycle={lifecycle} showsFinished={showsFinished} />
      ) : (
        <Skeleton lines={4} height={80} />
      )}
      {creating && lifecycle && isFor(lifecycle.creation.roles, me.roles) && (
        <CreateDialog
          lifecycle={lifecycle}
          project_id={search.get("project")}
          onClose={() => {
            change({ new: null });
          }}
        />
      )}
    </>
  );
}

type Asked = { kind: "choose"; task: Task } | { kind: "move"; task: Task; target: Target };

function Columns({ lifecycle, showsFinished }: { lifecycle: Lifecycle; showsFinished: boolean }) {
  const { t } = useI18n();
  const { any, ...filters } = useFilters();
  const reasonsOf = useReasons(lifecycle.name);
  const [asked, setAsked] = useState<Asked | null>(null);
  const { data: overview } = useQuery(queries.overview({ window: "day" }));
  const figures = overview?.lifecycles.find((one) => one.name === lifecycle.name);
  const onDrop = (task: Task, target: Target | null) => {
    if (!target) toast(t.board.asking, "bad");
    else if (target.actions.length > 0) setAsked({ kind: "move", task, target });
    else toast(`${t.board.refused}: ${reasonsOf(task.status, target).join(" ")}`, "bad");
  };
  const { drag, grab, ghost } = useDrag(lifecycle, onDrop);
  const chooseTarget = useCallback((task: Task) => {
    setAsked({ kind: "choose", task });
  }, []);
  const deeds = useMemo(() => ({ grab, chooseTarget }), [grab, chooseTarget]);
  // While a card is carried all statuses are there: a finished one may be just where it is to go.
  const statuses = lifecycle.statuses.filter(({ final }) => !final || showsFinished || drag !== null);
  const isEmpty =
    figures?.open === 0 && !any && !showsFinished && figures.statuses.every(({ entered }) => entered === 0);
  return (
    <>
      {isEmpty && !drag ? (
        <EmptyState icon="board" title={t.board.emptyTitle} hint={t.board.emptyHint} />
      ) : null}
      <div className="columns" data-dragging={drag !== null}>
        {statuses.map((status) => (
          <Column
            key={status.name}
            lifecycle={lifecycle}
            status={status}
            filters={filters}
            count={any ? null : (figures?.statuses.find((one) => one.status === status.name)?.tasks ?? null)}
            drag={drag}
            deeds={deeds}
          />
        ))}
      </div>
      {drag && (
        <div className="ghost" ref={ghost} aria-hidden="true">
          {drag.task.title}
        </div>
      )}
      {asked?.kind === "choose" && (
        <MoveTo
          lifecycle={lifecycle}
          task={asked.task}
          onChosen={(target) => {
            setAsked({ kind: "move", task: asked.task, target });
          }}
          onClose={() => {
            setAsked(null);
          }}
        />
      )}
      {asked?.kind === "move" && (
        <MoveDialog
          lifecycle={lifecycle}
          task={asked.task}
          target={asked.target}
          onClose={() => {
            setAsked(null);
          }}
        />
      )}
    </>
  );
}
