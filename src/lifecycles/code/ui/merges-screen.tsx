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
  useToastOnError,
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

const PAGE_SIZE = 50;
const MAX_MERGES = 200;
const MAX_FAILED = 30;
const SHORT_COMMIT = 9;

/** Merged tasks and failed tasks. */
export default function MergesScreen({ lifecycle }: { lifecycle: string }) {
  const [search] = useSearch();
  const [limit, setLimit] = useState(PAGE_SIZE);
  const project = search.get("project");
  const ended = (status: string, max: number) => ({
    lifecycle,
    key: [status, project, max],
    ask: (signal: AbortSignal) =>
      client.listTasks(
        {
          lifecycle,
          status: [status],
          sort: "entered",
          order: "desc",
          limit: max,
          ...(project ? { project_id: project } : {}),
        },
        { signal },
      ),
  });
  const merged = useLiveQuery(ended("completed", limit));
  const failed = useLiveQuery(ended("failed", MAX_FAILED));
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
                cursor !== null && limit < MAX_MERGES
                  ? () => {
                      setLimit(MAX_MERGES);
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

const textOrNull = (value: unknown): string | null => (typeof value === "string" ? value : null);

/** The merged tasks, as a linear history. */
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
              textOrNull(task.data.commit),
              textOrNull(task.data.branch),
              textOrNull(task.data.worker),
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
          {textOrNull(task.data.last_error) !== null && (
            <span className="row small failure" data-tone="bad">
              <Icon name="alert" />
              <span>{textOrNull(task.data.last_error)}</span>
            </span>
          )}
        </li>
      ))}
    </ListCard>
  );
}

function Retry({ lifecycle, task }: { lifecycle: string; task: Task }) {
  const texts = useTexts(TEXTS);
  const refetch = useRefetch(lifecycle);
  const [busy, attempt] = useToastOnError();
  const retry = async () => {
    const { title } = await code.retryCodeTask({ id: task.id });
    toast(texts.retried(title));
    await refetch();
  };
  return (
    <Button small disabled={busy} onClick={() => void attempt(retry)}>
      {texts.retry}
    </Button>
  );
}
