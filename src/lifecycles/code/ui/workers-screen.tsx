import {
  addresses,
  EmptyState,
  Icon,
  LifecycleHead,
  Link,
  ProjectPicker,
  useLiveQuery,
  useNow,
  useTexts,
  useSearch,
  useI18n,
  Loaded,
} from "../../../console/index.ts";
import { code, POLL_INTERVAL_MS } from "./code-calls.ts";
import type { AtWork, Summary } from "./code-calls.ts";
import { Output } from "./output.tsx";
import { TEXTS } from "./texts.ts";
import { USAGE_TEXTS } from "./usage-texts.ts";
import "./code.css";

/** The workers, their tasks and their output. */
export default function WorkersScreen({ lifecycle }: { lifecycle: string }) {
  const [search] = useSearch();
  const project_id = search.get("project");
  const overview = useLiveQuery({
    lifecycle,
    key: ["summary", project_id],
    ask: (signal) => code.getCodeSummary(project_id ? { project_id } : {}, { signal }),
    everyMs: POLL_INTERVAL_MS,
  });
  return (
    <>
      <LifecycleHead lifecycle={lifecycle}>
        <ProjectPicker />
      </LifecycleHead>
      <Loaded of={[overview]}>
        {(summary) => (
          <>
            <Progress summary={summary} />
            <Workers atWork={summary.at_work} />
          </>
        )}
      </Loaded>
    </>
  );
}

const ORDER = ["completed", "review", "in_progress", "claimed", "ready", "blocked", "failed"] as const;
const TONES = {
  completed: "good",
  review: "violet",
  in_progress: "blue",
  claimed: "cyan",
  ready: "slate",
  blocked: "warn",
  failed: "bad",
} as const;

/** The tasks by status, as one bar. */
function Progress({
  summary: { by_status, total, needs_attention, stuck, budget_spent },
}: {
  summary: Summary;
}) {
  const { f } = useI18n();
  const texts = useTexts(TEXTS);
  const usageTexts = useTexts(USAGE_TEXTS);
  return (
    <section className="card code-progress">
      {total > 0 && (
        <div className="share-bar" aria-hidden="true">
          {ORDER.filter((status) => by_status[status] > 0).map((status) => (
            <i key={status} data-tone={TONES[status]} style={{ flexGrow: by_status[status] }} />
          ))}
        </div>
      )}
      <ul className="shares">
        {ORDER.map((status) => (
          <li key={status} data-tone={TONES[status]} data-status={status}>
            <i /> <b className="num">{f.number(by_status[status])}</b> {texts.statuses[status]}
          </li>
        ))}
        {budget_spent !== null && (
          <li className="push" data-tone="warn" data-budget>
            <Icon name="alert" /> {usageTexts.noNewTasks}
          </li>
        )}
        {needs_attention > 0 && (
          <li className="push" data-tone="warn">
            <Icon name="alert" /> {texts.attention(needs_attention)}
            {stuck > 0 && `, ${texts.stuck(stuck)}`}
          </li>
        )}
      </ul>
    </section>
  );
}

function Workers({ atWork }: { atWork: readonly AtWork[] }) {
  const texts = useTexts(TEXTS);
  const [search, change] = useSearch();
  if (atWork.length === 0)
    return <EmptyState icon="play" title={texts.atWorkEmpty} hint={texts.atWorkHint} />;
  const chosen =
    atWork.find(({ task_id }) => task_id === search.get("task")) ??
    atWork.find(({ status }) => status === "in_progress") ??
    atWork[0];
  return (
    <div className="code-page">
      <section className="card" aria-label={texts.atWork}>
        <header className="head">
          <h2>{texts.atWork}</h2>
          <span className="badge">{atWork.length}</span>
        </header>
        <ul className="agents">
          {atWork.map((one) => (
            <li key={one.task_id} data-task={one.task_id}>
              <WorkerLine
                one={one}
                chosen={one === chosen}
                onChoose={() => {
                  change({ task: one.task_id });
                }}
              />
            </li>
          ))}
        </ul>
      </section>
      {chosen && (
        <section className="card code-output" aria-label={texts.output}>
          <header className="head">
            <h2 className="cut">
              <Link href={addresses.task(chosen.task_id)}>{chosen.title}</Link>
            </h2>
            {chosen.branch !== null && <code className="tag">{chosen.branch}</code>}
          </header>
          <Output key={chosen.task_id} id={chosen.task_id} title={chosen.title} />
        </section>
      )}
    </div>
  );
}

function WorkerLine({ one, chosen, onChoose }: { one: AtWork; chosen: boolean; onChoose: () => void }) {
  const { f } = useI18n();
  const texts = useTexts(TEXTS);
  const now = useNow(1);
  return (
    <button type="button" className="agent" aria-pressed={chosen} onClick={onChoose}>
      <span className="row">
        <b className="cut">{one.title}</b>
        <span className="push" />
        <span className="chip" data-tone={one.stuck ? "bad" : TONES[one.status]}>
          {one.stuck ? texts.isStuck : texts.statuses[one.status]}
        </span>
      </span>
      <span className="row small faint">
        <span className="mono cut">{one.worker ?? texts.noWorker}</span>
        {one.attempts > 0 && <span>{texts.attempt(one.attempts + 1)}</span>}
        <span className="push num">{texts.since(f.span((now - Date.parse(one.since)) / 1_000))}</span>
      </span>
      {one.last_line !== null && <span className="mono small cut last-line">{one.last_line}</span>}
    </button>
  );
}
