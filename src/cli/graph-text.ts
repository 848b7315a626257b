type Node = { id: string; title: string; status: string };
type Edge = { from: string; to: string };

const MARKS: Readonly<Record<string, string>> = {
  completed: "●",
  done: "●",
  failed: "✗",
  canceled: "✗",
  submitted: "◕",
  in_progress: "◐",
  claimed: "◔",
  assigned: "◔",
  ready: "○",
  available: "○",
  blocked: "·",
};

/** Draws dependencies as text: each task once, below its deepest blocker, followed by its other blockers. */
export function graphText(
  nodes: readonly Node[],
  edges: readonly Edge[],
  show: (node: Node) => string = ({ title, status }) => `${title} (${status})`,
): string {
  const byId = new Map(nodes.map((node) => [node.id, node]));
  const blockers = new Map(
    nodes.map(({ id }) => [id, edges.filter(({ to }) => to === id).map(({ from }) => from)]),
  );
  const depth = depthsOf(byId, blockers);
  // Below the deepest blocker, so that no line leads upwards.
  const parent = new Map(
    nodes.map(({ id }) => [
      id,
      [...(blockers.get(id) ?? [])].sort((a, b) => (depth.get(b) ?? 0) - (depth.get(a) ?? 0))[0] ?? null,
    ]),
  );
  const lines: string[] = [];
  const draw = (id: string, head: string, below: string) => {
    const node = byId.get(id);
    if (!node) return;
    const others = (blockers.get(id) ?? []).filter((blocker) => blocker !== parent.get(id));
    const also =
      others.length === 0
        ? ""
        : `  ← also ${others.map((other) => byId.get(other)?.title ?? other).join(", ")}`;
    lines.push(`${head}${MARKS[node.status] ?? "?"} ${show(node)}${also}`);
    const children = nodes.filter((child) => parent.get(child.id) === id);
    for (const [index, child] of children.entries()) {
      const last = index === children.length - 1;
      draw(child.id, `${below}${last ? "└─ " : "├─ "}`, `${below}${last ? "   " : "│  "}`);
    }
  };
  for (const { id } of nodes) if (parent.get(id) === null) draw(id, "", "");
  return lines.join("\n");
}

function depthsOf(
  byId: ReadonlyMap<string, Node>,
  blockers: ReadonlyMap<string, string[]>,
): Map<string, number> {
  const depths = new Map<string, number>();
  const depthOf = (id: string): number => {
    const known = depths.get(id);
    if (known !== undefined) return known;
    // Set before the recursion, which would not end in a cycle.
    depths.set(id, 0);
    const found = 1 + Math.max(-1, ...(blockers.get(id) ?? []).map(depthOf));
    depths.set(id, found);
    return found;
  };
  for (const id of byId.keys()) depthOf(id);
  return depths;
}
