import { useState } from "react";
import { Skeleton, useLiveQuery, useNow, useTexts, useI18n, Loaded } from "../../../console/index.ts";
import type { Task, Tone } from "../../../console/index.ts";
import { code } from "./code-calls.ts";
import type { CodeRun } from "./code-calls.ts";
import { DiffPanel } from "./diff-panel.tsx";
import { Output } from "./output.tsx";
import { TEXTS } from "./texts.ts";
import { USAGE_TEXTS } from "./usage-texts.ts";
import "./code.css";

const TONES: Readonly<Record<NonNullable<CodeRun["outcome"]>, Tone>> = {
  completed: "good",
  retried: "warn",
  review: "violet",
  failed: "bad",
  blocked: "warn",
  stopped: "slate",
  interrupted: "slate",
  lost: "bad",
};

/** A coding task's changes, and its attempts, each with its branch and output. */
export default function AttemptsPanel({ task }: { task: Task }) {
  return (
    <>
      <DiffPanel task={task} />
      <Attempts task={task} />
    </>
  );
}

function Attempts({ task }: { task: Task }) {
  const { f } = useI18n();
  const texts = useTexts(TEXTS);
  const usageTexts = useTexts(USAGE_TEXTS);
  const [chosen, setChosen] = useState<number | null>(null);
  const details = useLiveQuery({
    lifecycle: task.lifecycle,
    key: ["runs", task.id],
    ask: (signal) => code.getCodeTask({ id: task.id }, { signal }),
  });
  const { data } = details;
  const runs = data?.runs ?? [];
  const shown = runs.find(({ run }) => run === chosen) ?? runs.at(-1);
  return (
    <section className="card" aria-label={texts.attempts}>
      <header className="head">
        <h2>{texts.attempts}</h2>
        {runs.length > 0 && <span className="badge">{runs.length}</span>}
        {data && runs.some(({ usage }) => usage !== null) && (
          <span className="push small num" data-usage>
            {usageTexts.used(data.usage, f)}
          </span>
        )}
      </header>
      {runs.length === 0 && (
        <div className="body">
          <Loaded compact of={[details]} placeholder={<Skeleton />}>
            {({ runs: none }) => none.length === 0 && <p className="faint">{texts.noAttempts}</p>}
          </Loaded>
        </div>
      )}
      {shown && (
        <>
          <ul className="runs">
            {runs.map((one) => (
              <li key={one.run}>
                <RunLine
                  one={one}
                  chosen={one === shown}
                  onChoose={() => {
                    setChosen(one.run);
                  }}
                />
              </li>
            ))}
          </ul>
          <Output
            key={shown.run}
            id={task.id}
            title={task.title}
            run={shown.run}
            ended={shown.ended_at !== null}
          />
        </>
      )}
    </section>
  );
}

function RunLine({ one, chosen, onChoose }: { one: CodeRun; chosen: boolean; onChoose: () => void }) {
  const { f } = useI18n();
  const texts = useTexts(TEXTS);
  const usageTexts = useTexts(USAGE_TEXTS);
  const now = useNow(1);
  const ended = one.ended_at === null ? now : Date.parse(one.ended_at);
  return (
    <button type="button" className="agent" aria-pressed={chosen} onClick={onChoose}>
      <span className="row">
        <b>{texts.attempt(one.attempt)}</b>
        <span className="chip" data-tone={one.outcome === null ? "blue" : TONES[one.outcome]}>
          {one.outcome === null ? texts.underWay : texts.outcomes[one.outcome]}
        </span>
        <span className="push num small faint">{f.span((ended - Date.parse(one.started_at)) / 1_000)}</span>
      </span>
      <span className="row wrap small faint">
        {one.worker !== null && <span className="mono">{one.worker}</span>}
        {one.branch !== null && <code>{one.branch}</code>}
        {one.commit !== null && <code className="tag">{one.commit.slice(0, 9)}</code>}
        {one.agent !== null && <span>{[one.agent, one.model].filter(Boolean).join(" · ")}</span>}
        {one.usage !== null && <span className="num">{usageTexts.used(one.usage, f)}</span>}
        {one.exit_code !== null && <span>{texts.exitCode(one.exit_code)}</span>}
      </span>
      {one.error !== null && (
        <span className="small failure" data-tone="bad">
          {one.error}
        </span>
      )}
    </button>
  );
}
