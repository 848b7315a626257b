import type { ReplyOf, ROUTES, TaskOnWire } from "../api/index.ts";
import { problemOf } from "../core/index.ts";
import { atServer, unknownName } from "./at-server.ts";
import { oneLine } from "./display-width.ts";
import { EXIT } from "./exit-code.ts";
import type { ExitCode } from "./exit-code.ts";
import { findTaskId } from "./find-task.ts";
import { count, print } from "./print.ts";
import { fieldsText } from "./read-fields.ts";
import type { ReachFlags, Screen, Surroundings } from "./surroundings.ts";
import { wrap } from "./wrap.ts";

type Explanation = ReplyOf<typeof ROUTES.explainTask>["actions"][number];
type Me = ReplyOf<typeof ROUTES.getMe>;

/** `pawl why <id> [action]`: the exit code is that of `pawl tasks act`, were it tried. */
export function explainTask(
  surroundings: Surroundings,
  { id: typed, action, json, ...flags }: ReachFlags & { id: string; action?: string; json?: true },
): Promise<ExitCode> {
  const { out } = surroundings;
  return atServer(surroundings, flags, async ({ client }) => {
    const id = await findTaskId(client, typed);
    const [task, { actions }, me] = await Promise.all([
      client.getTask({ id }),
      client.explainTask({ id }),
      client.getMe(),
    ]);
    if (action === undefined)
      return print(out, { json, value: { actions }, text: () => everyAction(task, actions, out) });
    const asked = actions.find((one) => one.action === action);
    if (!asked)
      throw unknownName(
        "There is no action",
        action,
        actions.map((one) => one.action),
      );
    print(out, { json, value: asked, text: () => oneAction(task, asked, me, out) });
    return asked.allowed ? EXIT.fine : EXIT.refused;
  });
}

function oneAction(
  task: TaskOnWire,
  { action, allowed, refusals, input }: Explanation,
  me: Me,
  out: Screen,
): string {
  const { bold, green, red, dim } = out.colours;
  const subject = `"${oneLine(task.title)}" (${task.status})`;
  if (allowed) {
    const fields = fieldsText(input);
    const yes = wrap(`Yes: ${me.id} may ${action} ${subject} now.`, out.columns, 2);
    return [`${green("✓")} ${yes}`, ...(fields === "" ? [] : [dim(`  It takes ${fields}`)])].join("\n");
  }
  const why = refusals.length === 1 ? "" : `, for ${count(refusals.length, "reason")}`;
  return [
    `${red("✗")} ${wrap(`No: ${me.id} may not ${action} ${subject} now${why}:`, out.columns, 2)}`,
    ...refusals.flatMap(({ code, detail }) => [
      `  - ${wrap(oneLine(detail), out.columns, 4)} ${dim(`(${code})`)}`,
      ...nextStep(code).map((next) => `    ${wrap(next, out.columns, 4)}`),
    ]),
  ]
    .join("\n")
    .replace(me.id, bold);
}

/** Every action with all that stands against it. */
function everyAction(task: TaskOnWire, actions: readonly Explanation[], out: Screen): string {
  const { bold, cyan, dim, green, red } = out.colours;
  const width = Math.max(...actions.map(({ action }) => action.length));
  const lines = actions.map(({ action, allowed, refusals, input }) => {
    const said = allowed ? fieldsText(input) : refusals.map(({ detail }) => oneLine(detail)).join(" ");
    const text = wrap(said, out.columns, width + 4);
    return `${allowed ? green("✓") : red("✗")} ${action.padEnd(width)}  ${allowed ? cyan(text) : dim(text)}`.trimEnd();
  });
  return [`${bold(oneLine(task.title))} is ${task.status}`, ...lines].join("\n");
}

/** A code of a lifecycle's own has no more to say than its detail. */
function nextStep(code: string): string[] {
  const { next } = problemOf(code);
  return next === problemOf("").next ? [] : [next];
}
