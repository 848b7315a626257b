import { useState } from "react";
import {
  addresses,
  EmptyState,
  LifecycleHead,
  Link,
  Loaded,
  MAIN_PROJECT,
  Person,
  ProjectPicker,
  StatusChip,
  useLiveQuery,
  useSearch,
  useTexts,
} from "../../../console/index.ts";
import { board } from "./board-calls.ts";
import { TEXTS } from "./texts.ts";
import "./search.css";

const MAX_SHOWN = 100;

/** Full-text search over the tasks of a workspace. */
export default function SearchScreen({ lifecycle }: { lifecycle: string }) {
  const texts = useTexts(TEXTS);
  const [search, change] = useSearch();
  const words = search.get("words") ?? "";
  const [typed, type] = useState(words);
  return (
    <>
      <LifecycleHead lifecycle={lifecycle}>
        <ProjectPicker one />
      </LifecycleHead>
      <form
        className="board-search"
        role="search"
        onSubmit={(event) => {
          event.preventDefault();
          change({ words: typed.trim() });
        }}
      >
        <input
          className="input"
          type="search"
          maxLength={200}
          aria-label={texts.search}
          placeholder={texts.search}
          value={typed}
          onChange={(event) => {
            type(event.target.value);
          }}
        />
      </form>
      {words === "" ? (
        <EmptyState icon="search" title={texts.search} hint={texts.searchHint} />
      ) : (
        <Results lifecycle={lifecycle} words={words} />
      )}
    </>
  );
}

function Results({ lifecycle, words }: { lifecycle: string; words: string }) {
  const texts = useTexts(TEXTS);
  const [search] = useSearch();
  const project = search.get("project") ?? MAIN_PROJECT;
  const found = useLiveQuery({
    lifecycle,
    key: ["search", project, words],
    ask: (signal) =>
      board.listBoardTasks(
        { q: words, workspace_id: project, sort: ["-updated_at"], limit: MAX_SHOWN },
        { signal },
      ),
  });
  return (
    <Loaded of={[found]}>
      {({ tasks, total }) =>
        total === 0 ? (
          <EmptyState icon="search" title={texts.notFound} />
        ) : (
          <section className="card">
            <header className="head">
              <h2>{texts.found(total)}</h2>
            </header>
            <ul className="body found-tasks">
              {tasks.map((task) => (
                <li key={task.id} className="row wrap">
                  <StatusChip lifecycle={lifecycle} status={task.status} />
                  <Link href={addresses.task(task.id)}>{task.title}</Link>
                  {task.labels.map((label) => (
                    <span key={label} className="tag">
                      {label}
                    </span>
                  ))}
                  <span className="push small">
                    <Person id={task.assignee_id} />
                  </span>
                </li>
              ))}
            </ul>
          </section>
        )
      }
    </Loaded>
  );
}
