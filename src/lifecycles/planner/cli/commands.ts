import { jsonOption, print, textTable, titled } from "../../../plugin/index.ts";
import type { AddCommands } from "../../../plugin/index.ts";
import { plannerConditions, plannerPermissions } from "../permissions.ts";

const ROLES = ["executor", "lead", "supervisor", "system", "admin", "viewer"] as const;

/** `pawl planner`: what the planner has to say without a server. */
export const addPlannerCommands: AddCommands = (program, surroundings, leave) => {
  const planner = program.command("planner").description("The shop floor: who may do what on it.");
  planner
    .command("roles")
    .summary("print who may do what")
    .description("Prints the planner's permissions by role, and what is asked of a role beyond them.")
    .addOption(jsonOption())
    .addHelpText("after", titled(ROLES_HELP, surroundings))
    .action(({ json }: { json?: true }) => {
      const { out } = surroundings;
      const text = () => textTable(["permission", ...ROLES], rows(), out);
      leave(print(out, { json, value: asData(), text }));
    });
};

/** What somebody may do; what is Pawl's own is nobody's. */
const HELD = Object.entries<readonly string[]>(plannerPermissions)
  .filter(([, holders]) => holders.length > 0)
  .map(([permission]) => permission);

/** The table cell by cell: nothing, "yes", or "yes" with a condition. */
function rows(): string[][] {
  return HELD.map((permission) => [
    permission,
    ...ROLES.map((role) => {
      const { allowed, condition } = cellOf(permission, role);
      return allowed ? (condition ?? "yes") : "";
    }),
  ]);
}

function asData() {
  return Object.fromEntries(
    HELD.map((permission) => [
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
  $ pawl planner roles
  $ pawl planner roles --json
`;
