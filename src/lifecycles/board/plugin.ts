import type { JsonObject } from "../../core/index.ts";
import { definePlugin } from "../../plugin/index.ts";
import type { Tx } from "../../plugin/index.ts";
import { addBoardCommands } from "./cli/commands.ts";
import { board } from "./lifecycle.ts";
import { BOARD_PROBLEMS } from "./problems.ts";
import { boardRoutes } from "./routes.ts";
import { findWorkers } from "./sql/find-workers.ts";
import { BOARD_TEXTS } from "./texts.ts";

/** The agent task board. */
const plugin = definePlugin({
  lifecycle: board,
  problems: BOARD_PROBLEMS,
  migrations: new URL("./migrations/", import.meta.url),
  facts: {
    assignee_works_here: (tx, org_id, asks) =>
      worksHere(
        tx,
        org_id,
        asks.map(({ task, input }) => ({ project_id: task.project_id, input })),
      ),
  },
  creationFacts: { assignee_works_here: worksHere },
  routes: boardRoutes,
  commands: addBoardCommands,
  ui: {
    module: new URL("./ui/index.js", import.meta.url),
    tabs: {
      search: { en: "Search", ru: "Поиск" },
      agents: { en: "Agents", ru: "Агенты" },
      graph: { en: "Graph", ru: "Граф" },
    },
    texts: BOARD_TEXTS,
  },
  demo: () => import("./demo/scene.ts"),
});

// The compiler does not rewrite `import()` inside of `export default`.
export default plugin;

/** Returns for each request whether the member that it names may work in the project. */
async function worksHere(
  tx: Tx,
  org_id: string,
  asks: readonly { project_id: string; input: JsonObject }[],
): Promise<boolean[]> {
  const named = asks.map(({ input }) => (input.assignee_id as string | null | undefined) ?? null);
  const workers = await findWorkers(tx, org_id, [...new Set(named.filter((id) => id !== null))]);
  return asks.map(({ project_id }, index) => {
    const projects = workers.get(named[index] ?? "");
    return projects === null || (projects?.includes(project_id) ?? false);
  });
}
