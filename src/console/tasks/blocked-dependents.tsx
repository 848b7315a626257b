import { useQuery } from "@tanstack/react-query";
import { queries } from "../data/queries.ts";
import { Icon } from "../design/icon.tsx";
import { useI18n } from "../texts/i18n.tsx";
import "./tasks.css";
import { dependentsOf } from "./dependents-of.ts";

const MAX_SHOWN = 10;

/** Before a task is canceled: the tasks that would stay blocked. The server returns only tasks that the member may see. */
export function BlockedDependents({ taskId }: { taskId: string }) {
  const { t } = useI18n();
  const { data } = useQuery(queries.links(taskId));
  const waiting = data ? dependentsOf(taskId, data) : [];
  if (waiting.length === 0) return null;
  return (
    <section className="blocked-dependents" role="note">
      <p>
        <Icon name="alert" /> {t.board.staysBlocked(waiting.length)}
      </p>
      <ul>
        {waiting.slice(0, MAX_SHOWN).map(({ id, title }) => (
          <li key={id}>{title}</li>
        ))}
        {waiting.length > MAX_SHOWN && <li>{t.board.moreBlocked(waiting.length - MAX_SHOWN)}</li>}
      </ul>
    </section>
  );
}
