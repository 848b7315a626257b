import { useState } from "react";
import { useQuery } from "@tanstack/react-query";
import type { Task } from "../data/client.ts";
import { queries } from "../data/queries.ts";
import { useNow } from "../design/clock.ts";
import { Icon } from "../design/icon.tsx";
import { useMemberNames } from "../data/members.tsx";
import { useStatusLabel } from "../design/status.tsx";
import { useI18n } from "../texts/i18n.tsx";
import "./tasks.css";

const MAX_SHOWN = 5;

/** The newest known version of a task, and whether it is newer than when the form was opened. */
export function useNewestVersion(task: Pick<Task, "id" | "row_version"> | undefined) {
  const [opened] = useState(task?.row_version ?? 0);
  const { data } = useQuery({ ...queries.task(task?.id ?? ""), enabled: task !== undefined });
  const newest = Math.max(opened, data?.row_version ?? 0);
  return { opened, newest, hasChanged: newest > opened };
}

/** In an open form: what others did to the task since, and whether the form's action is still possible. */
export function ChangesMeanwhile({
  lifecycle,
  taskId,
  opened,
  action,
  isRefused,
}: {
  lifecycle: string;
  taskId: string;
  /** The version for which the form was opened. */
  opened: number;
  action: string;
  /** The form shows a refusal already, which has the same reason. */
  isRefused: boolean;
}) {
  const { t, f, n } = useI18n();
  const label = useStatusLabel(lifecycle);
  const nameOf = useMemberNames();
  const now = useNow(5);
  const { data: journal = [] } = useQuery(queries.journal(taskId));
  const { data: actions = [] } = useQuery(queries.actions(taskId));
  const entries = journal.filter(({ row_version }) => row_version > opened);
  const refused = actions.find((one) => one.action === action && !one.allowed)?.refusals ?? [];
  return (
    <div className="note meanwhile" data-tone="warn" role="status">
      <Icon name="alert" />
      <div className="stack tight">
        <b>{t.meanwhile.changed}</b>
        <ul>
          {entries.slice(-MAX_SHOWN).map((entry) => (
            <li key={entry.id}>
              {[
                entry.actor_id === null ? t.common.system : nameOf(entry.actor_id),
                n.action(entry.action),
                ...(entry.to_status === null || entry.to_status === entry.from_status
                  ? []
                  : [`→ ${label(entry.to_status)}`]),
                f.ago(entry.created_at, now),
              ].join(" · ")}
            </li>
          ))}
        </ul>
        {refused.length > 0 && !isRefused && (
          <p>
            {t.meanwhile.impossible}{" "}
            {[...new Set(refused.map((refusal) => n.refusal(refusal, label)))].join(" ")}
          </p>
        )}
      </div>
    </div>
  );
}
