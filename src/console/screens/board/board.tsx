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
import { CreationRefusal } from "../../tasks/creation-refusal.tsx";
import { isAllowed, isReadOnly } from "../../tasks/role-permissions.ts";
import { MoveTask } from "../../tasks/move-task.tsx";
import { MoveTargetDialog } from "../../tasks/move-target-dialog.tsx";
import type { MoveTarget } from "../../tasks/move-targets.ts";
import { useRefusalTexts } from "../../tasks/use-refusal-texts.ts";
import { useI18n } from "../../texts/i18n.tsx";
import { Column } from "./column.tsx";
import { useDrag } from "./drag.ts";
import "./board.css";

/** A lifecycle's tasks in columns by status; cards can be moved. */
export function Board({ lifecycle: name = "" }: { lifecycle?: string }) {
  const { t } = useI18n();
  const me = useMe();
  const [search, change] = useSearch();
  const { data: lifecycle, error, refetch } = useQuery(queries.lifecycle(name));
  const showsFinished = search.get("finished") === "1";
  const creating = search.get("new") === "1";
  const mayCreate = lifecycle !== undefined && isAllowed(lifecycle.creation.roles, me.roles);
  const close = () => {
    change({ new: null });
  };
  if (error) return <ErrorState error={error} onRetry={() => void refetch()} />;
  return (
    <>
      <LifecycleHead lifecycle={name}>
        {lifecycle && !isReadOnly(me.roles) && (
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
      {creating && lifecycle && mayCreate && (
        <CreateDialog lifecycle={lifecycle} project_id={search.get("project")} onClose={close} />
      )}
      {creating && lifecycle && !mayCreate && <CreationRefusal lifecycle={lifecycle} onClose={close} />}
    </>
  );
}

type OpenDialog = { kind: "choose"; task: Task } | { kind: "move"; task: Task; target: MoveTarget };

function Columns({ lifecycle, showsFinished }: { lifecycle: Lifecycle; showsFinished: boolean }) {
  const { t } = useI18n();
  const { any, ...filters } = useFilters();
  const refusalTexts = useRefusalTexts(lifecycle.name);
  const [dialog, setDialog] = useState<OpenDialog | null>(null);
  const { data: overview } = useQuery(queries.overview({ window: "day" }));
  const figures = overview?.lifecycles.find((one) => one.name === lifecycle.name);
  const onDrop = (task: Task, target: MoveTarget | null) => {
    if (!target) toast(t.board.checking, "bad");
    else if (target.actions.length > 0) setDialog({ kind: "move", task, target });
    else toast(`${t.board.refused}: ${refusalTexts(task.status, target).join(" ")}`, "bad");
  };
  const { drag, grab, ghost } = useDrag(lifecycle, onDrop);
  const chooseTarget = useCallback((task: Task) => {
    setDialog({ kind: "choose", task });
  }, []);
  const cardActions = useMemo(() => ({ grab, chooseTarget }), [grab, chooseTarget]);
  // While a card is dragged all columns are shown, because its target may be a final status.
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
            actions={cardActions}
          />
        ))}
      </div>
      {drag && (
        <div className="ghost" ref={ghost} aria-hidden="true">
          {drag.task.title}
        </div>
      )}
      {dialog?.kind === "choose" && (
        <MoveTargetDialog
          lifecycle={lifecycle}
          task={dialog.task}
          onChosen={(target) => {
            setDialog({ kind: "move", task: dialog.task, target });
          }}
          onClose={() => {
            setDialog(null);
          }}
        />
      )}
      {dialog?.kind === "move" && (
        <MoveTask
          lifecycle={lifecycle}
          task={dialog.task}
          target={dialog.target}
          onClose={() => {
            setDialog(null);
          }}
        />
      )}
    </>
  );
}
