import { useMemo, useState } from "react";
import { useQuery } from "@tanstack/react-query";
import { addresses } from "../../addresses.ts";
import { client } from "../../data/client.ts";
import { queries } from "../../data/queries.ts";
import { Loaded } from "../../design/loaded.tsx";
import { EmptyState } from "../../design/states.tsx";
import { useLiveQuery } from "../../data/use-live-query.ts";
import { useTexts } from "../../texts/use-texts.ts";
import { ProjectPicker } from "../../tasks/project-picker.tsx";
import { navigate, useSearch } from "../../router.tsx";
import { LifecycleHead } from "../../tasks/lifecycle-head.tsx";
import { useI18n } from "../../texts/i18n.tsx";
import { GraphView } from "./graph-view.tsx";
import { ChosenTask } from "./chosen-task.tsx";
import { TEXTS } from "./texts.ts";
import type { Graph } from "./task-dependencies.ts";
import "./graph.css";

const MAX_TASKS = 300;

/** Graph of tasks and the tasks that block them. */
export default function GraphScreen({ lifecycle }: { lifecycle: string }) {
  const texts = useTexts(TEXTS);
  const [search, change] = useSearch();
  const project_id = search.get("project");
  const finished = search.get("finished") !== "no";
  const graphQuery = useLiveQuery({
    lifecycle,
    key: ["graph", project_id, finished],
    ask: (signal) =>
      client.getGraph(
        { lifecycle, finished, limit: MAX_TASKS, ...(project_id ? { project_id } : {}) },
        { signal },
      ),
  });
  return (
    <>
      <LifecycleHead lifecycle={lifecycle}>
        <label className="check small">
          <input
            type="checkbox"
            checked={finished}
            onChange={(event) => {
              change({ finished: event.target.checked ? null : "no" });
            }}
          />
          {texts.finished}
        </label>
        <ProjectPicker />
      </LifecycleHead>
      <Loaded of={[graphQuery]}>{(graph) => <GraphContent graph={graph} lifecycle={lifecycle} />}</Loaded>
    </>
  );
}

function GraphContent({ graph, lifecycle }: { graph: Graph; lifecycle: string }) {
  const { f } = useI18n();
  const texts = useTexts(TEXTS);
  const { data: definition } = useQuery(queries.lifecycle(lifecycle));
  const [chosen, setChosen] = useState<string | null>(null);
  const [text, setText] = useState("");
  const found = useMemo(() => {
    const query = text.trim().toLowerCase();
    return query === ""
      ? null
      : (graph.tasks.find(({ title }) => title.toLowerCase().includes(query))?.id ?? null);
  }, [graph, text]);
  if (graph.tasks.length === 0) return <EmptyState icon="rules" title={texts.empty} hint={texts.emptyHint} />;
  const selected = graph.tasks.some(({ id }) => id === chosen) ? chosen : null;
  return (
    <section className="card graph-card">
      <header className="head">
        <span className="soft small">
          {texts.tasks(graph.tasks.length)}
          {!graph.complete && <>. {texts.more(f.number(graph.tasks.length))}</>}
        </span>
        <span className="push" />
        <input
          className="input small"
          type="search"
          aria-label={texts.find}
          placeholder={texts.find}
          value={text}
          onChange={(event) => {
            setText(event.target.value);
          }}
          onKeyDown={(event) => {
            if (event.key === "Enter" && found) setChosen(found);
          }}
        />
      </header>
      <div className="graph-stage">
        <GraphView
          graph={graph}
          definition={definition}
          chosen={selected}
          found={found}
          onChoose={setChosen}
          onOpen={(id) => {
            navigate(addresses.task(id));
          }}
        />
        <ChosenTask
          graph={graph}
          id={selected}
          onChoose={setChosen}
          onClear={() => {
            setChosen(null);
          }}
        />
      </div>
    </section>
  );
}
