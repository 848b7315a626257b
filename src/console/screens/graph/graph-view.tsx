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
import { useControlLabels } from "../../graph/control-labels.ts";
import { layoutTasks } from "./task-layout.ts";
import { neighbourInDirection } from "./neighbours.ts";
import { TEXTS } from "./texts.ts";
import { reachOf, dependencyState } from "./task-dependencies.ts";
import type { Graph, GraphTask, DependencyState } from "./task-dependencies.ts";
import "../../graph/flow-graph.css";

const WIDTH = 204;
const HEIGHT = 68;
/** Below this zoom a box shows only its title, in larger type. */
const FAR_ZOOM = 0.55;
/** Minimum zoom at first: a graph that does not fit shows its readable middle. */
const MIN_FIRST_ZOOM = 0.28;
const VERY_FAR_ZOOM = 0.42;
/** A larger graph gets a map, below the graph so that it covers no task. */
const MIN_MAPPED = 40;

/** Relation of a task to the selected one. */
type Mark = "chosen" | "before" | "after" | "aside" | "plain";
type TaskNode = Node<{ task: GraphTask; tone: Tone; mark: Mark }, "task">;
type DependencyEdge = Edge<{ state: DependencyState; aside: boolean }, "dependency">;

type Props = {
  graph: Graph;
  definition: Lifecycle | undefined;
  chosen: string | null;
  found: string | null;
  onChoose: (id: string | null) => void;
  onOpen: (id: string) => void;
};

/** Tasks as boxes at computed positions, without overlap. */
export function GraphView(props: Props) {
  return (
    <ReactFlowProvider>
      <Flow {...props} />
    </ReactFlowProvider>
  );
}

function Flow({ graph, definition, chosen, found, onChoose, onOpen }: Props) {
  const texts = useTexts(TEXTS);
  const labels = useControlLabels();
  const positions = usePositions(graph);
  const distance = useStore(({ transform: [, , zoom] }) =>
    zoom < VERY_FAR_ZOOM ? "very-far" : zoom < FAR_ZOOM ? "far" : "near",
  );
  const { nodes, edges } = useMemo(
    () => flowElements(graph, positions, definition, chosen),
    [graph, positions, definition, chosen],
  );
  useCenterOn(found, positions);
  const onKeyDown = (event: KeyboardEvent<HTMLDivElement>) => {
    const id = (event.target as HTMLElement).closest<HTMLElement>(".react-flow__node")?.dataset.id;
    if (event.key === "Escape") onChoose(null);
    if (id === undefined) return;
    if (event.key === "Enter") onOpen(id);
    else if (event.key === " ") onChoose(id);
    else if (event.key.startsWith("Arrow")) {
      const next = neighbourInDirection(graph.dependencies, positions, id, event.key);
      const element =
        next && event.currentTarget.querySelector<HTMLElement>(`[data-id="${CSS.escape(next)}"]`);
      if (!element) return;
      element.focus();
      onChoose(next);
    } else return;
    event.preventDefault();
  };
  return (
    <div className="graph-view">
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
          ariaLabelConfig={labels}
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
        </ReactFlow>
        <Legend />
      </div>
      {nodes.length > MIN_MAPPED && (
        <div className="graph-mini">
          <MiniMap
            pannable
            style={MINI}
            nodeClassName={({ data }) => `mini ${(data as TaskNode["data"]).tone}`}
          />
        </div>
      )}
    </div>
  );
}

/** Centres the view on the task that was found. */
function useCenterOn(found: string | null, positions: ReturnType<typeof usePositions>): void {
  const { setCenter, getZoom } = useReactFlow();
  useEffect(() => {
    const position = found === null ? undefined : positions.get(found);
    if (position)
      void setCenter(position.x + WIDTH / 2, position.y + HEIGHT / 2, {
        zoom: Math.max(getZoom(), 0.9),
        duration: 300,
      });
  }, [found, positions]);
}

function Legend() {
  const { legend, keys } = useTexts(TEXTS);
  return (
    <ul className="graph-legend small" title={keys}>
      {(["blocks", "failed", "resolved"] as const).map((state) => (
        <li key={state}>
          <i data-state={state} /> {legend[state]}
        </li>
      ))}
    </ul>
  );
}

/** Positions of the boxes. They depend only on ids and edges, so a status change moves nothing. */
function usePositions(graph: Graph) {
  const ids = graph.tasks.map(({ id }) => id).toSorted();
  const pairs = graph.dependencies.map(({ blocker_id, task_id }) => `${blocker_id} ${task_id}`).toSorted();
  return useMemo(() => {
    const boxes = ids.map((id) => ({ id, width: WIDTH, height: HEIGHT }));
    const edges = pairs.map((id) => {
      const [from = "", to = ""] = id.split(" ");
      return { id, from, to };
    });
    return new Map(layoutTasks(boxes, edges).boxes.map((position) => [position.id, position]));
  }, [ids.join(), pairs.join()]);
}

function flowElements(
  { tasks, dependencies }: Graph,
  positions: ReturnType<typeof usePositions>,
  definition: Lifecycle | undefined,
  chosen: string | null,
): { nodes: TaskNode[]; edges: DependencyEdge[] } {
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
    const { x = 0, y = 0 } = positions.get(task.id) ?? {};
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
  const edges = dependencies.map((dependency): DependencyEdge => {
    const [from, to] = [markOf(dependency.blocker_id), markOf(dependency.task_id)];
    const inReach =
      (from === "before" || from === "chosen" ? to === "before" || to === "chosen" : false) ||
      (from === "after" || from === "chosen" ? to === "after" : false);
    const state = dependencyState(dependency, byId.get(dependency.blocker_id));
    return {
      id: `${dependency.blocker_id} ${dependency.task_id}`,
      type: "dependency",
      source: dependency.blocker_id,
      target: dependency.task_id,
      data: { state, aside: reach !== null && !inReach },
    };
  });
  // Edges that still block are drawn above resolved ones.
  return {
    nodes,
    edges: edges.toSorted(
      (a, b) => Number(a.data?.state !== "resolved") - Number(b.data?.state !== "resolved"),
    ),
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

const DependencyLine = memo(function TieLine({
  id,
  sourceX,
  sourceY,
  targetX,
  targetY,
  data,
}: EdgeProps<DependencyEdge>) {
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
    <BaseEdge
      id={id}
      path={path}
      className={`dependency ${data?.state ?? ""}${data?.aside ? " aside" : ""}`}
    />
  );
});

// Leaves room for the legend at the top and the buttons at the left.
const FIT = {
  padding: { top: "64px", right: "24px", bottom: "24px", left: "52px" },
  maxZoom: 1,
  minZoom: MIN_FIRST_ZOOM,
} as const;
const MINI = { width: 148, height: 96 };
const NODES = { task: TaskBox };
const EDGES = { dependency: DependencyLine };
