import { useCallback, useEffect, useMemo } from "react";
import type { ReactNode } from "react";
import {
  BaseEdge,
  ControlButton,
  Controls,
  EdgeLabelRenderer,
  getViewportForBounds,
  Handle,
  MarkerType,
  Position,
  ReactFlow,
  ReactFlowProvider,
  useReactFlow,
  useStore,
} from "@xyflow/react";
import type { Edge as FlowEdge, EdgeProps, Node, NodeProps } from "@xyflow/react";
import "@xyflow/react/dist/base.css";
import { Icon } from "../design/icon.tsx";
import type { Tone } from "../design/status.tsx";
import { useControlLabels } from "./control-labels.ts";
import { edgePath, outermostLane } from "./edge-path.ts";
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
  const { nodes, arrows, whole } = useMemo(() => flowOf(boxes, edges, rankGap), [boxes, edges, rankGap]);
  const labels = useControlLabels();
  const key = nodes.map(({ id }) => id).join(" ");
  return (
    <div
      className="flow-graph"
      style={{ height: Math.min(height, whole.height + MARGIN_PX) }}
      role="group"
      aria-label={label}
    >
      <ReactFlowProvider key={key}>
        <ReactFlow
          nodes={nodes}
          edges={arrows}
          nodeTypes={NODES}
          edgeTypes={EDGES}
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
          <ZoomButtons whole={whole} label={labels["controls.fitView.ariaLabel"] ?? ""} />
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
  const top = laneDistance(lanes("over"));
  const whole = {
    x: -SIDE_PX,
    y: -top,
    width: layout.width + 2 * SIDE_PX,
    height: layout.height + top + laneDistance(lanes("back")),
  };
  return { nodes, arrows, whole };
}

/** Distance from the boxes to the outermost of some lanes, with its labels. */
function laneDistance(lanes: number): number {
  return lanes === 0 ? 0 : outermostLane(lanes) + LABEL_HEIGHT_PX;
}

const LABEL_HEIGHT_PX = 14;
/** Arrows may leave a box at its side. */
const SIDE_PX = 24;
const MARGIN_PX = 40;
/** Left of the diagram are the zoom buttons. */
const CONTROLS_PX = 48;
/** On a phone, a readable part is better than an unreadable whole. */
const MIN_READABLE_ZOOM = 0.62;
const PHONE_PX = 720;

/** Shows boxes, arrows around them and labels as large as they fit, also after the size of the page has changed. */
function ZoomButtons({
  whole,
  label,
}: {
  whole: { x: number; y: number; width: number; height: number };
  label: string;
}) {
  const { setViewport } = useReactFlow();
  const [width, height] = [useStore((store) => store.width), useStore((store) => store.height)];
  const fit = useCallback(() => {
    if (width === 0 || height === 0) return;
    const room = width - CONTROLS_PX;
    const minZoom = width < PHONE_PX ? MIN_READABLE_ZOOM : 0.2;
    const view = getViewportForBounds(whole, room, height, minZoom, 1.1, "16px");
    const isCut = whole.width * view.zoom > room;
    // If only a part fits, it is the beginning.
    void setViewport({ ...view, x: CONTROLS_PX + (isCut ? 0 : view.x) });
  }, [whole, width, height, setViewport]);
  useEffect(fit, [fit]);
  return (
    <Controls showInteractive={false} showFitView={false}>
      <ControlButton aria-label={label} title={label} onClick={fit}>
        <Icon name="expand" />
      </ControlButton>
    </Controls>
  );
}

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

const NODES = { box: BoxView };
const EDGES = { routed: RoutedView };
