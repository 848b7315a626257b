import { useMemo } from "react";
import type { ReactNode } from "react";
import {
  BaseEdge,
  Controls,
  EdgeLabelRenderer,
  Handle,
  MarkerType,
  Position,
  ReactFlow,
  ReactFlowProvider,
} from "@xyflow/react";
import type { Edge as FlowEdge, EdgeProps, Node, NodeProps } from "@xyflow/react";
import "@xyflow/react/dist/base.css";
import type { Tone } from "../design/status.tsx";
import { useControlLabels } from "./control-labels.ts";
import { edgePath } from "./edge-path.ts";
import { layOut } from "./layout.ts";
import type { Box, Route } from "./layout.ts";
import "./flow-graph.css";

export type GraphBox = Box & { tone: Tone; strong?: boolean; faded?: boolean; content: ReactNode };
export type GraphEdge = {
  id: string;
  from: string;
  to: string;
  label?: ReactNode;
  labelWidth?: number;
  /** Line weight from 0 to 1, by the number of moves. */
  weight?: number;
  faded?: boolean;
};

type BoxNode = Node<{ box: GraphBox }, "box">;
type Bounds = { top: number; bottom: number };
type RoutedEdge = FlowEdge<{ edge: GraphEdge; route: Route; bounds: Bounds }, "routed">;

/** Boxes and arrows that can be panned and zoomed; positions are computed. */
export function FlowGraph({
  label,
  boxes,
  edges,
  rankGap,
  height,
  onOpen,
}: {
  label: string;
  boxes: readonly GraphBox[];
  edges: readonly GraphEdge[];
  rankGap?: number;
  /** Maximum height in pixels. */
  height: number;
  onOpen?: (id: string) => void;
}) {
  const {
    nodes,
    arrows,
    needs: neededHeight,
  } = useMemo(() => flowOf(boxes, edges, rankGap), [boxes, edges, rankGap]);
  const labels = useControlLabels();
  const key = nodes.map(({ id }) => id).join(" ");
  return (
    <div
      className="flow-graph"
      style={{ height: Math.min(height, neededHeight) }}
      role="group"
      aria-label={label}
    >
      <ReactFlowProvider key={key}>
        <ReactFlow
          nodes={nodes}
          edges={arrows}
          nodeTypes={NODES}
          edgeTypes={EDGES}
          fitView
          fitViewOptions={FIT}
          minZoom={0.2}
          maxZoom={2}
          nodesDraggable={false}
          nodesConnectable={false}
          nodesFocusable={onOpen !== undefined}
          edgesFocusable={false}
          elementsSelectable={onOpen !== undefined}
          zoomOnScroll={false}
          preventScrolling={false}
          proOptions={{ hideAttribution: true }}
          ariaLabelConfig={labels}
          onNodeClick={(_, { id }) => onOpen?.(id)}
        >
          <Controls showInteractive={false} />
        </ReactFlow>
      </ReactFlowProvider>
    </div>
  );
}

function flowOf(boxes: readonly GraphBox[], edges: readonly GraphEdge[], rankGap: number | undefined) {
  const layout = layOut(boxes, edges, rankGap === undefined ? {} : { rankGap });
  const byId = new Map(boxes.map((box) => [box.id, box]));
  const nodes: BoxNode[] = layout.boxes.map(({ id, x, y, width, height }) => ({
    id,
    type: "box",
    position: { x, y },
    width,
    height,
    data: { box: byId.get(id) as GraphBox },
  }));
  const bounds = { top: 0, bottom: layout.height };
  const arrows: RoutedEdge[] = layout.routes.flatMap((route) => {
    const edge = edges.find(({ id }) => id === route.id);
    if (!edge) return [];
    return {
      id: edge.id,
      type: "routed",
      source: edge.from,
      target: edge.to,
      sourceHandle: route.leavesAside ? HANDLES.on[0] : HANDLES[route.way][0],
      targetHandle: route.comesAside ? HANDLES.on[1] : HANDLES[route.way][1],
      markerEnd: { type: MarkerType.ArrowClosed, width: 14, height: 14, color: "var(--line-strong)" },
      data: { edge, route, bounds },
    };
  });
  const lanes = (way: Route["way"]) =>
    Math.max(0, ...layout.routes.filter((route) => route.way === way).map(({ lane }) => lane + 1));
  const needs = layout.height + (lanes("over") + lanes("back")) * LANE_HEIGHT_PX + MARGIN_PX;
  return { nodes, arrows, needs };
}

/** Height of one lane of arrows above or below the boxes, and the margin around everything. */
const LANE_HEIGHT_PX = 30;
const MARGIN_PX = 90;

const HANDLES = {
  on: ["right", "left"],
  over: ["top", "top-in"],
  back: ["bottom", "bottom-in"],
} as const;

function BoxView({ data: { box } }: NodeProps<BoxNode>) {
  return (
    <div className="graph-box" data-tone={box.tone} data-strong={box.strong} data-faded={box.faded}>
      <Handle type="target" position={Position.Left} id="left" />
      <Handle type="source" position={Position.Right} id="right" />
      <Handle type="source" position={Position.Top} id="top" />
      <Handle type="target" position={Position.Top} id="top-in" />
      <Handle type="source" position={Position.Bottom} id="bottom" />
      <Handle type="target" position={Position.Bottom} id="bottom-in" />
      {box.content}
    </div>
  );
}

function RoutedView({ id, sourceX, sourceY, targetX, targetY, markerEnd, data }: EdgeProps<RoutedEdge>) {
  if (!data) return null;
  const { edge, route, bounds } = data;
  const { path, labelX, labelY } = edgePath({ sourceX, sourceY, targetX, targetY }, route, bounds);
  return (
    <>
      <BaseEdge
        id={id}
        path={path}
        {...(markerEnd === undefined ? {} : { markerEnd })}
        className={`graph-edge${edge.faded ? " faded" : ""}`}
        style={{ strokeWidth: 1.25 + (edge.weight ?? 0) * 2.75 }}
      />
      {edge.label !== undefined && (
        <EdgeLabelRenderer>
          <div
            className="graph-label"
            style={{ transform: `translate(-50%, -50%) translate(${labelX}px, ${labelY}px)` }}
          >
            {edge.label}
          </div>
        </EdgeLabelRenderer>
      )}
    </>
  );
}

// On a phone, a readable part is better than an unreadable whole. The left padding leaves room for the buttons.
const FIT = { padding: { y: "20px", right: "24px", left: "58px" }, minZoom: 0.62, maxZoom: 1.1 } as const;
const NODES = { box: BoxView };
const EDGES = { routed: RoutedView };
