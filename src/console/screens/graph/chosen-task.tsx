import { addresses } from "../../addresses.ts";
import { IconButton } from "../../design/button.tsx";
import { Icon } from "../../design/icon.tsx";
import { Person } from "../../design/person.tsx";
import { StatusChip } from "../../design/status.tsx";
import { useTexts } from "../../texts/use-texts.ts";
import { Link } from "../../router.tsx";
import { TEXTS } from "./texts.ts";
import { reachOf, dependencyState } from "./task-dependencies.ts";
import type { Graph, DependencyState } from "./task-dependencies.ts";

type Props = { graph: Graph; id: string | null; onChoose: (id: string) => void; onClear: () => void };

/** Details of the selected task: its blockers and the tasks that wait for it. */
export function ChosenTask({ graph, id, onChoose, onClear }: Props) {
  const texts = useTexts(TEXTS);
  const task = graph.tasks.find((one) => one.id === id);
  if (!task)
    return (
      <div className="graph-side faint small">
        <p>{texts.select}</p>
        <p>{texts.keys}</p>
      </div>
    );
  const { before, after } = reachOf(graph.dependencies, task.id);
  const blockers = neighboursOf(graph, ({ task_id }) => task_id === task.id, "blocker_id");
  const dependents = neighboursOf(graph, ({ blocker_id }) => blocker_id === task.id, "task_id");
  // A task that is done blocks nothing any more.
  const waiting = reachOf(
    graph.dependencies.filter(({ resolved }) => !resolved),
    task.id,
  ).after.size;
  const open = blockers.filter(({ state }) => state !== "resolved").length;
  return (
    <section className="graph-side stack" aria-label={task.title}>
      <header className="row">
        <h2>{task.title}</h2>
        <span className="push" />
        <IconButton icon="close" small label={texts.clearSelection} onClick={onClear} />
      </header>
      <div className="row wrap">
        <StatusChip lifecycle={task.lifecycle} status={task.status} />
        <Person id={task.assigned_to} />
      </div>
      <p className="soft small">
        {task.open_blockers > 0 ? texts.waits(task.open_blockers) : texts.notBlocked}
        {task.open_blockers > open && ` (${texts.notShown(task.open_blockers - open)})`} ·{" "}
        {waiting === 0 ? texts.notWaitedFor : texts.waitedFor(waiting)}
      </p>
      {dependents.some(({ state }) => state === "failed") && (
        <p className="note small" data-tone="bad">
          <Icon name="alert" />
          {texts.cannotStart}
        </p>
      )}
      <NeighbourList title={texts.waitsFor} neighbours={blockers} all={before.size} onChoose={onChoose} />
      <NeighbourList title={texts.blocks} neighbours={dependents} all={after.size} onChoose={onChoose} />
      <Link className="button small" href={addresses.task(task.id)}>
        {texts.open}
        <Icon name="arrow" />
      </Link>
    </section>
  );
}

type Neighbour = { task: Graph["tasks"][number]; state: DependencyState };

function neighboursOf(
  { tasks, dependencies }: Graph,
  belongs: (dependency: Graph["dependencies"][number]) => boolean,
  end: "blocker_id" | "task_id",
): Neighbour[] {
  const byId = new Map(tasks.map((task) => [task.id, task]));
  return dependencies.filter(belongs).flatMap((dependency) => {
    const task = byId.get(dependency[end]);
    return task ? { task, state: dependencyState(dependency, byId.get(dependency.blocker_id)) } : [];
  });
}

function NeighbourList({
  title,
  neighbours,
  all,
  onChoose,
}: {
  title: string;
  neighbours: readonly Neighbour[];
  all: number;
  onChoose: (id: string) => void;
}) {
  const texts = useTexts(TEXTS);
  return (
    <section>
      <h3>
        {title}{" "}
        {neighbours.length > 0 && (
          <span className="badge">{neighbours.length === all ? all : `${neighbours.length} / ${all}`}</span>
        )}
      </h3>
      {neighbours.length === 0 ? (
        <p className="faint small">{texts.nothing}</p>
      ) : (
        <ul className="dependency-list">
          {neighbours.map(({ task, state }) => (
            <li key={task.id}>
              <button
                type="button"
                data-state={state}
                onClick={() => {
                  onChoose(task.id);
                }}
              >
                <i />
                <span className="cut">{task.title}</span>
              </button>
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}
