import { memo, useEffect, useMemo } from "react";
import type { KeyboardEvent } from "react";
import {
  BaseEdge,
  Controls,
  getBezierPath,
  Handle,
  MiniMap,
  Position,
  ReactFlow,
  ReactFlowProvider,
  useReactFlow,
  useStore,
} from "@xyflow/react";
import type { Edge, EdgeProps, Node, NodeProps } from "@xyflow/react";
import "@xyflow/react/dist/base.css";
import type { Lifecycle } from "../../data/client.ts";
import { Avatar } from "../../design/person.tsx";
import { useMemberNames } from "../../data/members.tsx";
import { toneOf, useStatusLabel } from "../../design/status.tsx";
import type { Tone } from "../../design/status.tsx";
import { Icon } from "../../design/icon.tsx";
import { useTexts } from "../../texts/use-texts.ts";
import { useControlWords } from "../../graph/control-words.ts";
import { arrange } from "./arrange.ts";
import { nextInDirection } from "./step.ts";
import { TEXTS } from "./texts.ts";
import { reachOf, tieState } from "./ties.ts";
import type { Graph, GraphTask, TieState } from "./ties.ts";
import "../../graph/flow-graph.css";

const WIDTH = 204;
const HEIGHT = 68;
/** Farther away than this, a box shows its title alone, and larger. */
const FAR = 0.55;
/** Of a graph that does not fit, the middle is shown, and what can still be read. */
const LEAST_ZOOM = 0.28;
const VERY_FAR = 0.42;

/** Where a task stands to the one that is chosen. */
type Mark = "chosen" | "before" | "after" | "aside" | "plain";
type TaskNode = Node<{ task: GraphTask; tone: Tone; mark: Mark }, "task">;
type TieEdge = Edge<{ state: TieState; aside: boolean }, "tie">;

type Props = {
  graph: Graph;
  definition: Lifecycle | undefined;
  chosen: string | null;
  found: string | null;
  onChoose: (id: string | null) => void;
  onOpen: (id: string) => void;
};

/** The tasks as boxes whose places are computed; none covers another. */
export function Canvas(props: Props) {
  return (
    <ReactFlowProvider>
      <Flow {...props} />
    </ReactFlowProvider>
  );
}

function Flow({ graph, definition, chosen, found, onChoose, onOpen }: Props) {
  const texts = useTexts(TEXTS);
  const words = useControlWords();
  const spots = useSpots(graph);
  const distance = useStore(({ transform: [, , zoom] }) =>
    zoom < VERY_FAR ? "very-far" : zoom < FAR ? "far" : "near",
  );
  const { nodes, edges } = useMemo(
    () => drawn(graph, spots, definition, chosen),
    [graph, spots, definition, chosen],
  );
  useView(found, spots);
  const onKeyDown = (event: KeyboardEvent<HTMLDivElement>) => {
    const id = (event.target as HTMLElement).closest<HTMLElement>(".react-flow__node")?.dataset.id;
    if (event.key === "Escape") onChoose(null);
    if (id === undefined) return;
    if (event.key === "Enter") onOpen(id);
    else if (event.key === " ") onChoose(id);
    else if (event.key.startsWith("Arrow")) {
      const next = nextInDirection(graph.dependencies, spots, id, event.key);
      const element =
        next && event.currentTarget.querySelector<HTMLElement>(`[data-id="${CSS.escape(next)}"]`);
      if (!element) return;
      element.focus();
      onChoose(next);
    } else return;
    event.preventDefault();
  };
  return (
    <div
      className="flow-graph task-graph"
      data-distance={distance}
      role="group"
      aria-label={texts.title}
      onKeyDown={onKeyDown}
    >
      <ReactFlow
        nodes={nodes}
        edges={edges}
        nodeTypes={NODES}
        edgeTypes={EDGES}
        fitView
        fitViewOptions={FIT}
        minZoom={0.08}
        maxZoom={1.6}
        nodesDraggable={false}
        nodesConnectable={false}
        edgesFocusable={false}
        disableKeyboardA11y
        proOptions={{ hideAttribution: true }}
        ariaLabelConfig={words}
        onNodeClick={(_, { id }) => {
          onChoose(id === chosen ? null : id);
        }}
        onNodeDoubleClick={(_, { id }) => {
          onOpen(id);
        }}
        onPaneClick={() => {
          onChoose(null);
        }}
      >
        <Controls showInteractive={false} />
        {nodes.length > 40 && (
          <MiniMap
            pannable
            style={MINI}
            nodeClassName={({ data }) => `mini ${(data as TaskNode["data"]).tone}`}
          />
        )}
      </ReactFlow>
      <Legend />
    </div>
  );
}

/** Goes to what was found. */
function useView(found: string | null, spots: ReturnType<typeof useSpots>): void {
  const { setCenter, getZoom } = useReactFlow();
  useEffect(() => {
    const spot = found === null ? undefined : spots.get(found);
    if (spot)
      void setCenter(spot.x + WIDTH / 2, spot.y + HEIGHT / 2, {
        zoom: Math.max(getZoom(), 0.9),
        duration: 300,
      });
  }, [found, spots]);
}

function Legend() {
  const { legend, keys } = useTexts(TEXTS);
  return (
    <ul className="graph-legend small" title={keys}>
      {(["holds", "dead", "over"] as const).map((state) => (
        <li key={state}>
          <i data-state={state} /> {legend[state]}
        </li>
      ))}
    </ul>
  );
}

/** Where each box stands. By id, and by what is tied to what alone: that something moves on moves nothing about. */
function useSpots(graph: Graph) {
  const ids = graph.tasks.map(({ id }) => id).toSorted();
  const ties = graph.dependencies.map(({ blocker_id, task_id }) => `${blocker_id} ${task_id}`).toSorted();
  return useMemo(() => {
    const boxes = ids.map((id) => ({ id, width: WIDTH, height: HEIGHT }));
    const edges = ties.map((id) => {
      const [from = "", to = ""] = id.split(" ");
      return { id, from, to };
    });
    return new Map(arrange(boxes, edges).spots.map((spot) => [spot.id, spot]));
  }, [ids.join(), ties.join()]);
}

function drawn(
  { tasks, dependencies }: Graph,
  spots: ReturnType<typeof useSpots>,
  definition: Lifecycle | undefined,
  chosen: string | null,
): { nodes: TaskNode[]; edges: TieEdge[] } {
  const byId = new Map(tasks.map((task) => [task.id, task]));
  const reach = chosen === null ? null : reachOf(dependencies, chosen);
  const markOf = (id: string): Mark =>
    !reach
      ? "plain"
      : id === chosen
        ? "chosen"
        : reach.before.has(id)
          ? "before"
          : reach.after.has(id)
            ? "after"
            : "aside";
  const nodes = tasks.map((task): TaskNode => {
    const { x = 0, y = 0 } = spots.get(task.id) ?? {};
    const mark = markOf(task.id);
    return {
      id: task.id,
      type: "task",
      position: { x, y },
      width: WIDTH,
      height: HEIGHT,
      ariaRole: "button",
      data: { task, mark, tone: toneOf(definition, task.status) },
    };
  });
  const edges = dependencies.map((tie): TieEdge => {
    const [from, to] = [markOf(tie.blocker_id), markOf(tie.task_id)];
    const inReach =
      (from === "before" || from === "chosen" ? to === "before" || to === "chosen" : false) ||
      (from === "after" || from === "chosen" ? to === "after" : false);
    const state = tieState(tie, byId.get(tie.blocker_id));
    return {
      id: `${tie.blocker_id} ${tie.task_id}`,
      type: "tie",
      source: tie.blocker_id,
      target: tie.task_id,
      data: { state, aside: reach !== null && !inReach },
    };
  });
  // What holds something up is drawn above what is over.
  return {
    nodes,
    edges: edges.toSorted((a, b) => Number(a.data?.state !== "over") - Number(b.data?.state !== "over")),
  };
}

const TaskBox = memo(function TaskBox({ data: { task, tone, mark } }: NodeProps<TaskNode>) {
  const texts = useTexts(TEXTS);
  const nameOf = useMemberNames();
  const label = useStatusLabel(task.lifecycle);
  return (
    <div className="task-box" data-tone={tone} data-mark={mark} data-final={task.final} title={task.title}>
      <Handle type="target" position={Position.Left} />
      <Handle type="source" position={Position.Right} />
      <b>{task.title}</b>
      <span className="row box-line">
        <i />
        <span className="cut">{label(task.status)}</span>
        {task.open_blockers > 0 && (
          <span className="box-mark num" title={texts.waits(task.open_blockers)}>
            <Icon name="link" />
            {task.open_blockers}
          </span>
        )}
        {task.needs_attention && (
          <span className="box-mark" data-tone="bad">
            <Icon name="alert" />
          </span>
        )}
        {task.assigned_to !== null && <Avatar id={task.assigned_to} name={nameOf(task.assigned_to)} />}
      </span>
    </div>
  );
});

const TieLine = memo(function TieLine({ id, sourceX, sourceY, targetX, targetY, data }: EdgeProps<TieEdge>) {
  const [path] = getBezierPath({
    sourceX,
    sourceY,
    targetX,
    targetY,
    sourcePosition: Position.Right,
    targetPosition: Position.Left,
    curvature: 0.35,
  });
  return (
    <BaseEdge id={id} path={path} className={`tie ${data?.state ?? ""}${data?.aside ? " aside" : ""}`} />
  );
});

// Above lies the legend, beside the buttons.
const FIT = {
  padding: { top: "64px", right: "24px", bottom: "24px", left: "52px" },
  maxZoom: 1,
  minZoom: LEAST_ZOOM,
} as const;
const MINI = { width: 148, height: 96 };
const NODES = { task: TaskBox };
const EDGES = { tie: TieLine };
