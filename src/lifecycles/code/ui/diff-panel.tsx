import { useMemo, useState } from "react";
import { ActionButton, Icon, PawlProblem, useI18n, useLiveQuery, useTexts } from "../../../console/index.ts";
import type { Task } from "../../../console/index.ts";
import { code } from "./code-calls.ts";
import type { CodeDiff } from "./code-calls.ts";
import { parseDiff } from "./parse-diff.ts";
import type { DiffFile, DiffLine } from "./parse-diff.ts";
import { TEXTS } from "./texts.ts";
import "./diff.css";

/** Diffs with more lines start collapsed. */
const MAX_OPEN_LINES = 600;

/** The changes of a task's latest attempt; while they wait for review, with the reviewer's buttons. */
export function DiffPanel({ task }: { task: Task }) {
  const texts = useTexts(TEXTS);
  const { data: diff } = useLiveQuery({
    lifecycle: task.lifecycle,
    key: ["diff", task.id],
    ask: (signal) =>
      code.readCodeDiff({ id: task.id }, { signal }).catch((error: unknown) => {
        // The task has no diff yet.
        if (error instanceof PawlProblem && error.status === 404) return null;
        throw error;
      }),
  });
  if (!diff) return null;
  return (
    <section className="card" aria-label={texts.changes}>
      <header className="head diff-head">
        <h2>{texts.changes}</h2>
        <Numbers {...diff} />
        <PullRequest task={task} />
        {task.status === "review" && <ReviewButtons task={task} />}
      </header>
      <DiffFiles diff={diff} />
    </section>
  );
}

function Numbers({ files, added, removed, commit }: CodeDiff) {
  const { f } = useI18n();
  const texts = useTexts(TEXTS);
  return (
    <span className="row wrap small faint">
      <span>{texts.filesChanged(files)}</span>
      <span className="num diff-added">+{f.number(added)}</span>
      <span className="num diff-removed">−{f.number(removed)}</span>
      <code className="tag" title={commit}>
        {commit.slice(0, 9)}
      </code>
    </span>
  );
}

/** The pull request of the work, if its worker has opened one. */
function PullRequest({ task }: { task: Task }) {
  const texts = useTexts(TEXTS);
  const { pull_request = null } = (task.data.review_request ?? {}) as { pull_request?: string | null };
  if (pull_request === null || !/^https?:\/\//.test(pull_request)) return null;
  return (
    <a className="small" href={pull_request} target="_blank" rel="noreferrer">
      {texts.pullRequest}
    </a>
  );
}

function ReviewButtons({ task }: { task: Task }) {
  const texts = useTexts(TEXTS);
  return (
    <span className="row wrap push">
      <ActionButton
        lifecycle={task.lifecycle}
        task={task}
        action="request_changes"
        label={texts.requestChanges}
      />
      <ActionButton
        lifecycle={task.lifecycle}
        task={task}
        action="approve"
        label={texts.approve}
        look="main"
      />
    </span>
  );
}

function DiffFiles({ diff: { diff, truncated } }: { diff: CodeDiff }) {
  const texts = useTexts(TEXTS);
  const files = useMemo(() => parseDiff(diff), [diff]);
  const lines = files.reduce((sum, file) => sum + file.lines.length, 0);
  return (
    <div className="diff">
      {files.map((file) => (
        <FileChanges key={`${file.path}\n${diff.length}`} file={file} startsOpen={lines <= MAX_OPEN_LINES} />
      ))}
      {truncated && <p className="diff-cut small faint">{texts.diffTruncated}</p>}
    </div>
  );
}

function FileChanges({ file, startsOpen }: { file: DiffFile; startsOpen: boolean }) {
  const { f } = useI18n();
  const texts = useTexts(TEXTS);
  const [open, setOpen] = useState(startsOpen);
  return (
    <details
      open={open}
      onToggle={({ currentTarget }) => {
        setOpen(currentTarget.open);
      }}
    >
      <summary>
        <Icon name="right" />
        <span className="mono diff-path">
          {file.from !== null && <span className="faint">{file.from} → </span>}
          {file.path}
        </span>
        {file.change !== "changed" && <span className="tag">{texts.fileChanges[file.change]}</span>}
        <span className="num small diff-added push">+{f.number(file.added)}</span>
        <span className="num small diff-removed">−{f.number(file.removed)}</span>
      </summary>
      {open && (
        <div className="diff-lines" tabIndex={0} role="group" aria-label={file.path}>
          <table>
            <tbody>
              {file.lines.map((line, at) => (
                <Line key={at} line={line} />
              ))}
            </tbody>
          </table>
        </div>
      )}
    </details>
  );
}

const SIGNS: Readonly<Record<DiffLine["kind"], string>> = {
  added: "+",
  removed: "−",
  same: "",
  hunk: "",
  note: "",
};

function Line({ line: { kind, text, old, new: now } }: { line: DiffLine }) {
  return (
    <tr data-line={kind}>
      <td className="diff-number">{old}</td>
      <td className="diff-number">{now}</td>
      <td className="diff-sign">{SIGNS[kind]}</td>
      <td className="diff-text">{text}</td>
    </tr>
  );
}
