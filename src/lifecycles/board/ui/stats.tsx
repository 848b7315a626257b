import type { ReactNode } from "react";
import { Avatar, useTexts, useI18n } from "../../../console/index.ts";
import type { Tone } from "../../../console/index.ts";
import type { Stats } from "./board-calls.ts";
import { TEXTS } from "./texts.ts";

type Agent = Stats["agents"][number];

/** Six figures of the whole workspace. */
export function BoardFigures({ workspace }: { workspace: Stats["workspace"] }) {
  const { f } = useI18n();
  const { figures } = useTexts(TEXTS);
  const span = (minutes: number | null) => (minutes === null ? "–" : f.span(minutes * 60));
  const shown: [keyof typeof figures, string, Tone | null][] = [
    ["created", f.number(workspace.total_tasks_created), null],
    ["rate", `${f.number(Math.round(workspace.completion_rate_percent))} %`, null],
    ["lead", span(workspace.avg_lead_time_minutes), null],
    ["cycle", span(workspace.avg_cycle_time_minutes), null],
    ["overdue", f.number(workspace.overdue_count), workspace.overdue_count > 0 ? "warn" : null],
    ["stuck", f.number(workspace.stuck_count), workspace.stuck_count > 0 ? "bad" : null],
  ];
  return (
    <dl className="card tiles">
      {shown.map(([name, value, tone]) => (
        <div key={name} title={figures[name].hint} data-tone={tone ?? undefined}>
          <dd className="num">{value}</dd>
          <dt>{figures[name].label}</dt>
        </div>
      ))}
    </dl>
  );
}

/** Charts by agent: outcomes, times, and tasks handed over between agents. */
export function AgentCharts({ agents }: { agents: readonly Agent[] }) {
  return (
    <div className="agent-charts">
      <Outcomes agents={agents} />
      <Times agents={agents} />
      <HandOvers agents={agents} />
    </div>
  );
}

function Outcomes({ agents }: { agents: readonly Agent[] }) {
  const { f } = useI18n();
  const { outcomes, outcomesHint, outcome } = useTexts(TEXTS);
  const parts = [
    ["good", outcome.completed, ({ tasks_completed }: Agent) => tasks_completed],
    ["slate", outcome.cancelled, ({ tasks_cancelled }: Agent) => tasks_cancelled],
    ["bad", outcome.stuck, ({ tasks_stuck_count }: Agent) => tasks_stuck_count],
  ] as const;
  const total = (agent: Agent) => parts.reduce((sum, [, , count]) => sum + count(agent), 0);
  const max = Math.max(1, ...agents.map(total));
  return (
    <Chart
      title={outcomes}
      hint={outcomesHint}
      agents={agents.filter((agent) => total(agent) > 0).toSorted((a, b) => total(b) - total(a))}
      legend={parts}
      value={(agent) => f.number(agent.tasks_completed)}
      bar={(agent) =>
        parts.map(([tone, label, count]) => (
          <Part
            key={label}
            tone={tone}
            share={count(agent) / max}
            label={`${label}: ${f.number(count(agent))}`}
          />
        ))
      }
    />
  );
}

function Times({ agents }: { agents: readonly Agent[] }) {
  const { f } = useI18n();
  const { times, timesHint, lead, cycle } = useTexts(TEXTS);
  const parts = [
    ["cyan", lead, (agent: Agent) => agent.avg_lead_time_minutes ?? 0],
    ["blue", cycle, (agent: Agent) => agent.avg_cycle_time_minutes ?? 0],
  ] as const;
  const maxMinutes = Math.max(0.01, ...agents.map(parts[0][2]));
  return (
    <Chart
      title={times}
      hint={timesHint}
      agents={agents
        .filter((agent) => agent.avg_lead_time_minutes !== null)
        .toSorted((a, b) => parts[0][2](a) - parts[0][2](b))}
      legend={parts}
      value={(agent) => f.span(parts[1][2](agent) * 60)}
      bar={(agent) => (
        <span className="times">
          {parts.map(([tone, label, minutes]) => (
            <Part
              key={label}
              tone={tone}
              share={minutes(agent) / maxMinutes}
              label={`${label}: ${f.span(minutes(agent) * 60)}`}
            />
          ))}
        </span>
      )}
    />
  );
}

/** Bar chart: help that an agent needed on the left, help that it gave on the right. */
function HandOvers({ agents }: { agents: readonly Agent[] }) {
  const { f } = useI18n();
  const texts = useTexts(TEXTS);
  const needed = [
    ["warn", texts.escalatedOn, (agent: Agent) => agent.escalations_received],
    ["bad", texts.takenFrom, (agent: Agent) => agent.tasks_taken_over_from_agent],
  ] as const;
  const gave = [
    ["good", texts.tookOver, (agent: Agent) => agent.tasks_taken_over_by_agent],
    ["blue", texts.escalated, (agent: Agent) => agent.escalations_initiated],
  ] as const;
  const total = (parts: typeof needed | typeof gave, agent: Agent) => parts[0][2](agent) + parts[1][2](agent);
  const max = Math.max(1, ...agents.flatMap((agent) => [total(needed, agent), total(gave, agent)]));
  const both = (agent: Agent) => total(needed, agent) + total(gave, agent);
  return (
    <Chart
      title={texts.handOvers}
      hint={texts.handOversHint}
      agents={agents.filter((agent) => both(agent) > 0).toSorted((a, b) => both(b) - both(a))}
      legend={[...gave, ...needed]}
      value={(agent) => `${f.number(total(needed, agent))} / ${f.number(total(gave, agent))}`}
      bar={(agent) => (
        <span className="two-ways">
          {[needed, gave].map((parts) => (
            <span key={parts[0][0]}>
              {parts.map(([tone, label, count]) => (
                <Part
                  key={label}
                  tone={tone}
                  share={count(agent) / max}
                  label={`${label}: ${f.number(count(agent))}`}
                />
              ))}
            </span>
          ))}
        </span>
      )}
    />
  );
}

function Chart({
  title,
  hint,
  agents,
  legend,
  value,
  bar,
}: {
  title: string;
  hint: string;
  agents: readonly Agent[];
  legend: readonly (readonly [Tone, string, ...unknown[]])[];
  value: (agent: Agent) => string;
  bar: (agent: Agent) => ReactNode;
}) {
  const texts = useTexts(TEXTS);
  return (
    <figure className="card agent-chart">
      <figcaption>
        <h2>{title}</h2>
        <p className="faint small">{hint}</p>
      </figcaption>
      {agents.length === 0 ? (
        <p className="faint small">{texts.nothing}</p>
      ) : (
        <>
          <ul>
            {agents.map((agent) => (
              <li key={agent.agent_id} data-agent={agent.agent_id}>
                <span className="row">
                  <Avatar id={agent.agent_id} name={agent.agent_name} />
                  <span className="cut">{agent.agent_name}</span>
                </span>
                <span className="agent-bar">{bar(agent)}</span>
                <b className="num">{value(agent)}</b>
              </li>
            ))}
          </ul>
          <p className="legend">
            {legend.map(([tone, label]) => (
              <span key={label} data-tone={tone}>
                <i /> {label}
              </span>
            ))}
          </p>
        </>
      )}
    </figure>
  );
}

function Part({ tone, share, label }: { tone: Tone; share: number; label: string }) {
  if (share === 0) return null;
  return (
    <i
      data-tone={tone}
      style={{ width: `${Math.max(1.5, share * 100)}%` }}
      title={label}
      role="img"
      aria-label={label}
    />
  );
}
