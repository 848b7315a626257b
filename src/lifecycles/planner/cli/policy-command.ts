import type { Command } from "commander";
import {
  atServer,
  CliError,
  EXIT,
  formatHelp,
  print,
  textTable,
  withServerOptions,
} from "../../../plugin/index.ts";
import type { CliEnvironment, ExitCode, SetExitCode } from "../../../plugin/index.ts";
import type { PlannerPolicy } from "../api.ts";
import { callsOf } from "./planner-cells.ts";
import type { Flags } from "./planner-cells.ts";

const MEANINGS: Readonly<Record<keyof PlannerPolicy, string>> = {
  min_skill_to_take: "skill needed to take a task",
  self_check_min_skill: "skill needed to approve one's own work",
  min_skill_to_invite: "skill needed to invite contributors",
  allow_trade_override: "leads may assign a task to another trade",
};

/** `pawl planner policy` */
export function addPolicyCommand(
  planner: Command,
  environment: CliEnvironment,
  setExitCode: SetExitCode,
): void {
  withServerOptions(planner.command("policy"))
    .summary("show or change the policy of a project")
    .description("Shows the policy of a project; supervisors and admins can change it.")
    .argument("[changes...]", "such as min_skill_to_take=4 or allow_trade_override=default")
    .option("--project <id>", "the project", "main")
    .addHelpText("after", formatHelp(HELP, environment))
    .action(async (changes: string[], flags: Flags & { project: string }) => {
      setExitCode(await showPolicy(environment, changes, flags));
    });
}

function showPolicy(
  environment: CliEnvironment,
  typed: readonly string[],
  { project: id, json, ...flags }: Flags & { project: string },
): Promise<ExitCode> {
  const { out } = environment;
  const changes = Object.fromEntries(typed.map(parseChange));
  return atServer(environment, flags, async ({ client }) => {
    const calls = callsOf(client);
    const policy =
      typed.length === 0 ? await calls.getPolicy({ id }) : await calls.changePolicy({ id, ...changes });
    const rows = Object.entries(MEANINGS).map(([name, meaning]) => [
      name,
      String(policy[name as keyof PlannerPolicy]),
      meaning,
    ]);
    return print(out, {
      json,
      value: policy,
      text: () => textTable(["NAME", "VALUE", "MEANING"], rows, out),
    });
  });
}

/** Parses `min_skill_to_take=4`, `allow_trade_override=true` and `…=default`. */
function parseChange(typed: string): [string, number | boolean | null] {
  const [, name = "", value = ""] = /^([a-z_]+)=(\d{1,2}|true|false|default)$/.exec(typed) ?? [];
  if (!Object.hasOwn(MEANINGS, name))
    throw new CliError(EXIT.usage, `"${typed}" is not a change of the policy.`, {
      hints: [`Write name=value, or name=default; the names are ${Object.keys(MEANINGS).join(", ")}.`],
    });
  if (value === "default") return [name, null];
  return [name, value === "true" || value === "false" ? value === "true" : Number(value)];
}

const HELP = `
Examples:
  pawl planner policy --project hall
  pawl planner policy min_skill_to_take=4 allow_trade_override=true --project hall`;
