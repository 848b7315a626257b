import { useQuery } from "@tanstack/react-query";
import { queries } from "../../data/queries.ts";
import { Segments } from "../../design/button.tsx";
import { Skeleton, ErrorState } from "../../design/states.tsx";
import { Boundary } from "../../loading/boundary.tsx";
import { lazyComponent } from "../../loading/lazy-component.tsx";
import { LifecycleHead } from "../../tasks/lifecycle-head.tsx";
import { useI18n } from "../../texts/i18n.tsx";
import { useWindow } from "../overview/overview.tsx";
import { Check } from "./check.tsx";
import { Permissions, Rules, Statuses } from "./rules.tsx";
import { DefaultSettings } from "./default-settings.tsx";
import "./lifecycle.css";

const Diagram = lazyComponent(async () => ({ default: (await import("./diagram.tsx")).Diagram }));

/** Definition of a lifecycle, with its current figures. */
export function LifecycleScreen({ lifecycle: name = "" }: { lifecycle?: string }) {
  const { t } = useI18n();
  const [window, setWindow] = useWindow();
  const { data: lifecycle, error, refetch } = useQuery(queries.lifecycle(name));
  const { data: overview } = useQuery(queries.overview({ window }));
  if (error) return <ErrorState error={error} onRetry={() => void refetch()} />;
  const figures = overview?.lifecycles.find((one) => one.name === name);
  return (
    <>
      <LifecycleHead lifecycle={name}>
        <Segments
          label={t.overview.throughput}
          value={window}
          onChange={setWindow}
          options={(["hour", "day", "week"] as const).map((value) => ({
            value,
            label: t.overview.window[value],
          }))}
        />
      </LifecycleHead>
      {lifecycle ? (
        <div className="lifecycle-page">
          <section className="card">
            <header className="head">
              <h2>{t.lifecycle.diagram}</h2>
              <span className="faint small">{t.lifecycle.diagramHint}</span>
              <span className="tag push">{t.lifecycle.version(lifecycle.version)}</span>
            </header>
            <Boundary around="part" placeholder={<div className="bone diagram-bone" />}>
              <Diagram lifecycle={lifecycle} figures={figures} />
            </Boundary>
          </section>
          <div className="lifecycle-columns">
            <Check lifecycle={name} />
            <DefaultSettings lifecycle={lifecycle} />
          </div>
          <Rules lifecycle={lifecycle} />
          <Statuses lifecycle={lifecycle} figures={figures} />
          <Permissions lifecycle={lifecycle} />
        </div>
      ) : (
        <Skeleton lines={6} height={28} />
      )}
    </>
  );
}
