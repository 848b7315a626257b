import { useState } from "react";
import {
  addresses,
  Button,
  client,
  EmptyState,
  Icon,
  isReadOnly,
  LifecycleHead,
  Link,
  ProjectPicker,
  toast,
  useRefetch,
  useAttempt,
  useLiveQuery,
  useMe,
  useNow,
  useTexts,
  useSearch,
  useI18n,
  Loaded,
  ListCard,
} from "../../../console/index.ts";
import type { Task } from "../../../console/index.ts";
import { code } from "./code-calls.ts";
import { TEXTS } from "./texts.ts";
import "./code.css";

const PAGE = 50;
const MOST = 200;
const MOST_FAILED = 30;
const SHORT_COMMIT = 9;

/** What has become part of the code, and what has not made it. */
export default function MergesScreen({ lifecycle }: { lifecycle: string }) {
  const [search] = useSearch();
  const [limit, setLimit] = useState(PAGE);
  const project = search.get("project");
  const ended = (status: string, most: number) => ({
    lifecycle,
    key: [status, project, most],
    ask: (signal: AbortSignal) =>
      client.listTasks(
        {
          lifecycle,
          status: [status],
          sort: "entered",
          order: "desc",
          limit: most,
          ...(project ? { project_id: project } : {}),
        },
        { signal },
      ),
  });
  const merged = useLiveQuery(ended("completed", limit));
  const failed = useLiveQuery(ended("failed", MOST_FAILED));
  return (
    <>
      <LifecycleHead lifecycle={lifecycle}>
        <ProjectPicker />
      </LifecycleHead>
      <Loaded of={[merged, failed]}>
        {({ tasks, cursor }, failures) => (
          <div className="code-ends">
            <Merges
              tasks={tasks}
              onMore={
                cursor !== null && limit < MOST
                  ? () => {
                      setLimit(MOST);
                    }
                  : null
              }
            />
            <Failures lifecycle={lifecycle} tasks={failures.tasks} />
          </div>
        )}
      </Loaded>
    </>
  );
}

const said = (value: unknown): string | null => (typeof value === "string" ? value : null);

/** One line of history, as git keeps it. */
function Merges({ tasks, onMore }: { tasks: readonly Task[]; onMore: (() => void) | null }) {
  const { f } = useI18n();
  const texts = useTexts(TEXTS);
  const now = useNow(10);
  return (
    <section className="card" aria-label={texts.merges}>
      <header className="head">
        <div>
          <h2>{texts.merges}</h2>
          <p className="faint small">{texts.mergesHint}</p>
        </div>
      </header>
      {tasks.length === 0 ? (
        <EmptyState compact icon="rules" title={texts.mergesEmpty} hint={texts.mergesEmptyHint} />
      ) : (
        <ol className="merges">
          {tasks.map((task) => {
            const [commit, branch, worker] = [
              said(task.data.commit),
              said(task.data.branch),
              said(task.data.worker),
            ];
            return (
              <li key={task.id} data-task={task.id}>
                <Link className="line-title cut" href={addresses.task(task.id)}>
                  {task.title}
                </Link>
                <span className="row wrap small faint">
                  {commit !== null && (
                    <code className="tag" title={commit}>
                      {commit.slice(0, SHORT_COMMIT)}
                    </code>
                  )}
                  {branch !== null && <code className="cut">{branch}</code>}
                  {worker !== null && <span>{worker}</span>}
                  {task.attempt > 0 && <span>{texts.attempt(task.attempt + 1)}</span>}
                  <span className="num" title={f.moment(task.entered_at)}>
                    {f.ago(task.entered_at, now)}
                  </span>
                </span>
              </li>
            );
          })}
        </ol>
      )}
      {onMore && (
        <div className="body">
          <Button small onClick={onMore}>
            {texts.more}
          </Button>
        </div>
      )}
    </section>
  );
}

function Failures({ lifecycle, tasks }: { lifecycle: string; tasks: readonly Task[] }) {
  const texts = useTexts(TEXTS);
  const readOnly = isReadOnly(useMe().roles);
  return (
    <ListCard
      title={texts.failures}
      count={tasks.length}
      tone="bad"
      listClass="failures"
      empty={texts.failuresEmpty}
    >
      {tasks.map((task) => (
        <li key={task.id} data-task={task.id}>
          <span className="row">
            <Link className="line-title cut" href={addresses.task(task.id)}>
              {task.title}
            </Link>
            <span className="push" />
            {!readOnly && <Retry lifecycle={lifecycle} task={task} />}
          </span>
          {said(task.data.last_error) !== null && (
            <span className="row small failure" data-tone="bad">
              <Icon name="alert" />
              <span>{said(task.data.last_error)}</span>
            </span>
          )}
        </li>
      ))}
    </ListCard>
  );
}

function Retry({ lifecycle, task }: { lifecycle: string; task: Task }) {
  const texts = useTexts(TEXTS);
  const askAnew = useRefetch(lifecycle);
  const [busy, attempt] = useAttempt();
  const retry = async () => {
    const { title } = await code.retryCodeTask({ id: task.id });
    toast(texts.retried(title));
    await askAnew();
  };
  return (
    <Button small disabled={busy} onClick={() => void attempt(retry)}>
      {texts.retry}
    </Button>
  );
}
