import { jsonOption, print, textTable, formatHelp } from "../../../plugin/index.ts";
import type { AddCommands } from "../../../plugin/index.ts";
import { addShiftCommands } from "./shift-commands.ts";
import { addLeadCommands } from "./lead-commands.ts";
import { addDeadlineCommand } from "./deadline-commands.ts";
import { addDeliverableCommands } from "./deliverable-commands.ts";
import { addImportCommand } from "./import-command.ts";
import { addPolicyCommand } from "./policy-command.ts";
import { addPoolCommands } from "./pool-commands.ts";
import { addStatsCommand } from "./stats-command.ts";
import { addTemplateCommands } from "./template-commands.ts";
import { plannerConditions, plannerPermissions } from "../permissions.ts";

const ROLES = ["executor", "lead", "supervisor", "system", "admin", "viewer"] as const;

/** `pawl planner …` */
export const addPlannerCommands: AddCommands = (program, environment, setExitCode) => {
  const planner = program
    .command("planner")
    .summary("take and plan work, shifts, templates and deliverables of the shop floor")
    .description("Commands for the shop floor.");
  planner
    .command("roles")
    .summary("print the permissions of each role")
    .description("Prints the permissions of each role, and the conditions that apply to them.")
    .addOption(jsonOption())
    .addHelpText("after", formatHelp(ROLES_HELP, environment))
    .action(({ json }: { json?: true }) => {
      const { out } = environment;
      const text = () => textTable(["permission", ...ROLES], rows(), out);
      setExitCode(print(out, { json, value: asData(), text }));
    });
  addPoolCommands(planner, environment, setExitCode);
  addImportCommand(planner, environment, setExitCode);
  addDeadlineCommand(planner, environment, setExitCode);
  addDeliverableCommands(planner, environment, setExitCode);
  addTemplateCommands(planner, environment, setExitCode);
  addPolicyCommand(planner, environment, setExitCode);
  addShiftCommands(planner, environment, setExitCode);
  addLeadCommands(planner, environment, setExitCode);
  addStatsCommand(planner, environment, setExitCode);
};

/** Permissions of members, without those that only Pawl itself has. */
const GRANTED = Object.entries<readonly string[]>(plannerPermissions)
  .filter(([, holders]) => holders.length > 0)
  .map(([permission]) => permission);

/** The rows of the table; a cell is empty, "yes", or a condition. */
function rows(): string[][] {
  return GRANTED.map((permission) => [
    permission,
    ...ROLES.map((role) => {
      const { allowed, condition } = cellOf(permission, role);
      return allowed ? (condition ?? "yes") : "";
    }),
  ]);
}

function asData() {
  return Object.fromEntries(
    GRANTED.map((permission) => [
      permission,
      Object.fromEntries(ROLES.map((role) => [role, cellOf(permission, role)])),
    ]),
  );
}

function cellOf(permission: string, role: string): { allowed: boolean; condition: string | null } {
  const holders = (plannerPermissions as Record<string, readonly string[]>)[permission] ?? [];
  return {
    allowed: holders.includes(role),
    condition: plannerConditions[permission]?.[role] ?? null,
  };
}

const ROLES_HELP = `
Examples:
  pawl planner roles
  pawl planner roles --json`;
