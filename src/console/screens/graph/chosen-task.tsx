import { addresses } from "../../addresses.ts";
import { IconButton } from "../../design/button.tsx";
import { Icon } from "../../design/icon.tsx";
import { Person } from "../../design/person.tsx";
import { StatusChip } from "../../design/status.tsx";
import { useTexts } from "../../texts/use-texts.ts";
import { Link } from "../../router.tsx";
import { TEXTS } from "./texts.ts";
import { reachOf, tieState } from "./ties.ts";
import type { Graph, TieState } from "./ties.ts";

type Props = { graph: Graph; id: string | null; onChoose: (id: string) => void; onClear: () => void };

/** What holds the chosen task up, and whom it holds up. */
export function ChosenTask({ graph, id, onChoose, onClear }: Props) {
  const texts = useTexts(TEXTS);
  const task = graph.tasks.find((one) => one.id === id);
  if (!task)
    return (
      <div className="graph-side faint small">
        <p>{texts.choose}</p>
        <p>{texts.keys}</p>
      </div>
    );
  const { before, after } = reachOf(graph.dependencies, task.id);
  const blockers = tiesOf(graph, ({ task_id }) => task_id === task.id, "blocker_id");
  const dependents = tiesOf(graph, ({ blocker_id }) => blocker_id === task.id, "task_id");
  const open = blockers.filter(({ state }) => state !== "over").length;
  return (
    <section className="graph-side stack" aria-label={task.title}>
      <header className="row">
        <h2>{task.title}</h2>
        <span className="push" />
        <IconButton icon="close" small label={texts.clear} onClick={onClear} />
      </header>
      <div className="row wrap">
        <StatusChip lifecycle={task.lifecycle} status={task.status} />
        <Person id={task.assigned_to} />
      </div>
      <p className="soft small">
        {task.open_blockers > 0 ? texts.waits(task.open_blockers) : texts.free}
        {task.open_blockers > open && ` (${texts.unseen(task.open_blockers - open)})`} ·{" "}
        {texts.waitedFor(after.size)}
      </p>
      {dependents.some(({ state }) => state === "dead") && (
        <p className="note small" data-tone="bad">
          <Icon name="alert" />
          {texts.never}
        </p>
      )}
      <Ties title={texts.waitsFor} ties={blockers} all={before.size} onChoose={onChoose} />
      <Ties title={texts.holdsUp} ties={dependents} all={after.size} onChoose={onChoose} />
      <Link className="button small" href={addresses.task(task.id)}>
        {texts.open}
        <Icon name="arrow" />
      </Link>
    </section>
  );
}

type Neighbour = { task: Graph["tasks"][number]; state: TieState };

function tiesOf(
  { tasks, dependencies }: Graph,
  belongs: (tie: Graph["dependencies"][number]) => boolean,
  end: "blocker_id" | "task_id",
): Neighbour[] {
  const byId = new Map(tasks.map((task) => [task.id, task]));
  return dependencies.filter(belongs).flatMap((tie) => {
    const task = byId.get(tie[end]);
    return task ? { task, state: tieState(tie, byId.get(tie.blocker_id)) } : [];
  });
}

function Ties({
  title,
  ties,
  all,
  onChoose,
}: {
  title: string;
  ties: readonly Neighbour[];
  all: number;
  onChoose: (id: string) => void;
}) {
  const texts = useTexts(TEXTS);
  return (
    <section>
      <h3>
        {title}{" "}
        {ties.length > 0 && (
          <span className="badge">{ties.length === all ? all : `${ties.length} / ${all}`}</span>
        )}
      </h3>
      {ties.length === 0 ? (
        <p className="faint small">{texts.nothing}</p>
      ) : (
        <ul className="tie-list">
          {ties.map(({ task, state }) => (
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
