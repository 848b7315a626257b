import { useQuery } from "@tanstack/react-query";
import { client } from "../../../console/data/client.ts";
import type { Task } from "../../../console/data/client.ts";
import { queries } from "../../../console/data/queries.ts";
import { Segments } from "../../../console/design/button.tsx";
import { Bones, Empty, Trouble } from "../../../console/design/states.tsx";
import { useSearch } from "../../../console/router.tsx";
import { LifecycleHead } from "../../../console/tasks/lifecycle-head.tsx";
import { useLiveAnswer } from "../../../console/data/live-answer.ts";
import { useOwnTexts } from "../../../console/texts/use-own-texts.ts";
import { MAIN, ProjectPicker } from "../../../console/tasks/project-picker.tsx";
import { board } from "./board-calls.ts";
import type { Stats } from "./board-calls.ts";
import { Holders } from "./holders.tsx";
import { AgentCharts, BoardFigures } from "./stats.tsx";
import { TEXTS } from "./texts.ts";
import "./agents.css";

const PERIODS = ["day", "week", "month", "all"] as const;
const HELD = ["IN_PROGRESS", "BLOCKED", "STUCK"];
const MOST_HELD = 200;

/** Which agent holds what, and how each of them does. */
export default function AgentsScreen({ lifecycle }: { lifecycle: string }) {
  const texts = useOwnTexts(TEXTS);
  const [search, change] = useSearch();
  const period = PERIODS.find((one) => one === search.get("period")) ?? "week";
  const project = search.get("project") ?? MAIN;
  const stats = useLiveAnswer({
    lifecycle,
    key: ["stats", period, project],
    ask: (signal) => board.getBoardStats({ period, workspace_id: project }, { signal }),
  });
  const held = useLiveAnswer({
    lifecycle,
    key: ["held", project],
    ask: (signal) =>
      client.listTasks({ lifecycle, status: HELD, limit: MOST_HELD, project_id: project }, { signal }),
  });
  const error = stats.error ?? held.error;
  return (
    <>
      <LifecycleHead lifecycle={lifecycle}>
        <Segments
          label={texts.period}
          value={period}
          onChange={(value) => {
            change({ period: value === "week" ? null : value });
          }}
          options={PERIODS.map((value) => ({ value, label: texts.periods[value] }))}
        />
        <ProjectPicker one />
      </LifecycleHead>
      {stats.data && held.data ? (
        <Shown stats={stats.data} held={held.data.tasks} />
      ) : error ? (
        <Trouble error={error} onRetry={() => void Promise.all([stats.refetch(), held.refetch()])} />
      ) : (
        <div className="card body">
          <Bones lines={7} height={26} />
        </div>
      )}
    </>
  );
}

function Shown({ stats, held }: { stats: Stats; held: readonly Task[] }) {
  const texts = useOwnTexts(TEXTS);
  const { data: members = [] } = useQuery(queries.members());
  const owned = held.filter(({ assigned_to }) => assigned_to !== null);
  const agents = members.filter(({ kind, active }) => kind === "agent" && active);
  if (owned.length === 0 && agents.length === 0 && stats.agents.length === 0)
    return <Empty icon="members" title={texts.empty} hint={texts.emptyHint} />;
  return (
    <>
      <BoardFigures workspace={stats.workspace} />
      <Holders tasks={owned} agents={agents} />
      <AgentCharts agents={stats.agents} />
    </>
  );
}
