import { useQuery } from "@tanstack/react-query";
import type { Schema, Task } from "../../data/client.ts";
import { queries } from "../../data/queries.ts";
import { Markdown } from "../../design/markdown.tsx";
import { isMarkdown } from "../../forms/schema.ts";
import { useI18n } from "../../texts/i18n.tsx";
import { EditInPlace } from "./edit-in-place.tsx";
import { DataValue } from "../../tasks/data-value.tsx";

/** The lifecycle's own fields, in the order in which it declares them. */
export function Details({ task }: { task: Task }) {
  const { t, n } = useI18n();
  const { data: lifecycle } = useQuery(queries.lifecycle(task.lifecycle));
  const properties = (lifecycle?.data?.properties ?? {}) as Record<string, Schema>;
  const declared = Object.keys(properties);
  const filled = Object.entries(task.data)
    .filter(([, value]) => !isEmpty(value))
    .toSorted(([a], [b]) => declared.indexOf(a) - declared.indexOf(b));
  if (filled.length === 0) return null;
  return (
    <section className="card">
      <header className="head">
        <h2>{t.task.data}</h2>
      </header>
      <dl className="body definition">
        {filled.map(([name, value]) => (
          <div key={name} className="pair">
            <dt title={name}>{n.field(name)}</dt>
            <dd>
              <EditInPlace key={task.id} task={task} name={name}>
                {typeof value === "string" && isMarkdown(properties[name]) ? (
                  <Markdown text={value} />
                ) : (
                  <DataValue name={name} value={value} />
                )}
              </EditInPlace>
            </dd>
          </div>
        ))}
      </dl>
    </section>
  );
}

function isEmpty(value: unknown): boolean {
  return value === null || value === "" || (Array.isArray(value) && value.length === 0);
}
