import { useQuery } from "@tanstack/react-query";
import {
  client,
  EmptyState,
  LifecycleHead,
  MAIN_PROJECT,
  ProjectPicker,
  queries,
  Segments,
  useLiveQuery,
  useTexts,
  useSearch,
  Loaded,
} from "../../../console/index.ts";
import type { Task } from "../../../console/index.ts";
import { board } from "./board-calls.ts";
import type { Stats } from "./board-calls.ts";
import { Holders } from "./holders.tsx";
import { AgentCharts, BoardFigures } from "./stats.tsx";
import { TEXTS } from "./texts.ts";
import "./agents.css";

const PERIODS = ["day", "week", "month", "all"] as const;
const HELD = ["IN_PROGRESS", "BLOCKED", "STUCK"];
const MAX_HELD = 200;

/** The tasks that agents hold, and their statistics. */
export default function AgentsScreen({ lifecycle }: { lifecycle: string }) {
  const texts = useTexts(TEXTS);
  const [search, change] = useSearch();
  const period = PERIODS.find((one) => one === search.get("period")) ?? "week";
  const project = search.get("project") ?? MAIN_PROJECT;
  const stats = useLiveQuery({
    lifecycle,
    key: ["stats", period, project],
    ask: (signal) => board.getBoardStats({ period, workspace_id: project }, { signal }),
  });
  const held = useLiveQuery({
    lifecycle,
    key: ["held", project],
    ask: (signal) =>
      client.listTasks({ lifecycle, status: HELD, limit: MAX_HELD, project_id: project }, { signal }),
  });
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
      <Loaded of={[stats, held]}>
        {(figures, { tasks }) => <Statistics stats={figures} held={tasks} />}
      </Loaded>
    </>
  );
}

function Statistics({ stats, held }: { stats: Stats; held: readonly Task[] }) {
  const texts = useTexts(TEXTS);
  const { data: members = [] } = useQuery(queries.members());
  const owned = held.filter(({ assigned_to }) => assigned_to !== null);
  const agents = members.filter(({ kind, active }) => kind === "agent" && active);
  if (owned.length === 0 && agents.length === 0 && stats.agents.length === 0)
    return <EmptyState icon="members" title={texts.empty} hint={texts.emptyHint} />;
  return (
    <>
      <BoardFigures workspace={stats.workspace} />
      <Holders tasks={owned} agents={agents} />
      <AgentCharts agents={stats.agents} />
    </>
  );
}
