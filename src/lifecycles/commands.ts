import type { AddCommands } from "../cli/kit.ts";
import { addCodeCommands } from "./code/cli/commands.ts";
import { addPlannerCommands } from "./planner/cli/commands.ts";

/** The commands that the lifecycles which ship with Pawl have of their own. */
export const LIFECYCLE_COMMANDS: readonly AddCommands[] = [addPlannerCommands, addCodeCommands];
