import type { ReplyOf, ROUTES, TaskOnWire } from "../api/index.ts";
import { problemOf } from "../core/index.ts";
import { atServer, unknownName } from "./at-server.ts";
import { oneLine } from "./display-width.ts";
import { EXIT } from "./exit-code.ts";
import type { ExitCode } from "./exit-code.ts";
import { findTaskId } from "./find-task.ts";
import { count, print } from "./print.ts";
import { saveShownVersions } from "./shown-versions.ts";
import { fieldsText } from "./read-fields.ts";
import type { ConnectFlags, Screen, CliEnvironment } from "./cli-environment.ts";
import { wrap } from "./wrap.ts";

type Explanation = ReplyOf<typeof ROUTES.explainTask>["actions"][number];
type Me = ReplyOf<typeof ROUTES.getMe>;

/** `pawl why <id> [action]`: with an action, the exit code is the one that `pawl tasks act` would have. */
export function explainTask(
  environment: CliEnvironment,
  { id: typed, action, json, ...flags }: ConnectFlags & { id: string; action?: string; json?: true },
): Promise<ExitCode> {
  const { out } = environment;
  return atServer(environment, flags, async ({ client, target }) => {
    const id = await findTaskId(client, typed);
    const [task, { actions }, me] = await Promise.all([
      client.getTask({ id }),
      client.explainTask({ id }),
      client.getMe(),
    ]);
    await saveShownVersions(environment, target, { tasks: [task], json });
    if (action === undefined)
      return print(out, { json, value: { actions }, text: () => everyAction(task, actions, out) });
    const explained = actions.find((one) => one.action === action);
    if (!explained)
      throw unknownName(
        "There is no action",
        action,
        actions.map((one) => one.action),
      );
    print(out, { json, value: explained, text: () => oneAction(task, explained, me, out) });
    return explained.allowed ? EXIT.fine : EXIT.refused;
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

/** Lists every action with its fields, or with all reasons why it is refused. */
function everyAction(task: TaskOnWire, actions: readonly Explanation[], out: Screen): string {
  const { bold, cyan, dim, green, red } = out.colours;
  const width = Math.max(...actions.map(({ action }) => action.length));
  const lines = actions.map(({ action, allowed, refusals, input }) => {
    const detail = allowed ? fieldsText(input) : refusals.map(({ detail }) => oneLine(detail)).join(" ");
    const text = wrap(detail, out.columns, width + 4);
    return `${allowed ? green("✓") : red("✗")} ${action.padEnd(width)}  ${allowed ? cyan(text) : dim(text)}`.trimEnd();
  });
  return [`${bold(oneLine(task.title))} is ${task.status}`, ...lines].join("\n");
}

/** Empty for codes of a lifecycle, which have no generic next step. */
function nextStep(code: string): string[] {
  const { next } = problemOf(code);
  return next === problemOf("").next ? [] : [next];
}
