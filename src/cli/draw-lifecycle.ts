import { describeLifecycle, lifecyclePage, mermaid } from "../core/index.ts";
import type { Lifecycle, LifecycleDescription, RuleDescription } from "../core/index.ts";
import { EXIT } from "./exit-code.ts";
import type { ExitCode } from "./exit-code.ts";
import { findLifecycle } from "./find-lifecycle.ts";
import { withLifecycleErrors } from "./with-lifecycle-errors.ts";
import type { Screen, CliEnvironment } from "./cli-environment.ts";
import { textTable } from "./text-table.ts";
import { wrap } from "./wrap.ts";
import { jsonText } from "./terminal-text.ts";

export const DIAGRAM_FORMATS = ["mermaid", "table", "markdown"] as const;

/** `pawl diagram <lifecycle>` */
export async function drawLifecycle(
  { out, shipped, loadConfig }: CliEnvironment,
  options: { name: string; format: (typeof DIAGRAM_FORMATS)[number]; config?: string; json?: boolean },
): Promise<ExitCode> {
  const user = await loadConfig(options.config);
  const lifecycle = findLifecycle([...shipped, ...user.lifecycles], options.name);
  const text = withLifecycleErrors(lifecycle, shipped, () =>
    options.json ? jsonText(describeLifecycle(lifecycle), 2) : DRAW[options.format](lifecycle, out),
  );
  out.write(`${text}\n`);
  return EXIT.fine;
}

const DRAW = {
  mermaid,
  table: (lifecycle, screen) => rulesText(describeLifecycle(lifecycle), screen),
  markdown: markdownPage,
} as const satisfies Record<
  (typeof DIAGRAM_FORMATS)[number],
  (lifecycle: Lifecycle, screen: Screen) => string
>;

/** The rules as a table for the eye: fewer columns than the Markdown one, wrapped to the terminal. */
export function rulesText(
  { name, version, summary, rules, ...rest }: LifecycleDescription,
  screen: Screen,
): string {
  const labels = new Map(rest.who.map(({ name: who, label }) => [who, label]));
  const roles = new Map(rest.actions.map((action) => [action.name, action.roles]));
  const whoText = ({ action, who }: RuleDescription) => {
    const people = who.map((one) => labels.get(one) ?? one).join(" or ");
    const held = roles.get(action) ?? "anyone";
    return held === "anyone" || held.join() === people ? people : `${people} (${held.join(", ")})`;
  };
  const rows = rules.map((rule) => [
    rule.action,
    rule.from.join(", "),
    rule.outcome === "moved" ? (rule.to ?? "(stays)") : `(${rule.outcome})`,
    whoText(rule),
    rule.guards.map((guard) => guard.replaceAll("_", " ")).join("; "),
  ]);
  const title = wrap(`${name} v${version}: ${summary}`, screen.columns, 0).replace(name, screen.colours.bold);
  const table = textTable(["action", "from", "to", "who (roles)", "guards"], rows, screen);
  return `${title}\n\n${table}`;
}

function markdownPage(lifecycle: Lifecycle): string {
  const { name, summary, version } = lifecycle;
  return `# ${name}\n\n${summary}. Version ${version}.\n\n${lifecyclePage(lifecycle)}`;
}
