import { CliError, EXIT, oneLine } from "../../../plugin/index.ts";
import { isUuid } from "../../../std/uuid.ts";
import type { PlannerDeliverable } from "../api.ts";
import type { PlannerCalls } from "./planner-cells.ts";

/** Finds a deliverable by its id, or by its serial number if only one has it. */
export async function findDeliverable(
  calls: PlannerCalls,
  typed: string,
  project: string | undefined,
): Promise<PlannerDeliverable> {
  if (isUuid(typed)) return calls.getDeliverable({ id: typed });
  const query = { serial: typed, project_id: project, limit: 5 };
  const { deliverables: found } = await calls.listDeliverables(query);
  const [first, ...others] = found;
  if (first === undefined)
    throw new CliError(EXIT.refused, `There is no deliverable with the serial ${oneLine(typed)}.`, {
      hints: ["`pawl planner deliverables list` shows those that you may see."],
      document: { code: "NOT_FOUND", serial: typed },
    });
  if (others.length > 0)
    throw new CliError(EXIT.usage, `Several deliverables have the serial ${oneLine(typed)}: use the id.`, {
      hints: found.map(({ id, project_id, type }) => `- ${id} ${type} of ${project_id}`),
      document: { code: "AMBIGUOUS_ID", ids: found.map(({ id }) => id) },
    });
  return first;
}
