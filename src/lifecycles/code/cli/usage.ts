import { atServer, oneLine, print, shortId, textTable, isTty } from "../../../plugin/index.ts";
import type { CliEnvironment, ConnectFlags, ExitCode } from "../../../plugin/index.ts";
import { CODE_ROUTES } from "../api.ts";
import type { CodeTask } from "../api.ts";

type Usage = CodeTask["usage"];

/** Formats a cost; empty if it is unknown. */
export function costText({ cost_usd }: Pick<Usage, "cost_usd">): string {
  return cost_usd === null ? "" : `$${cost_usd.toFixed(2)}`;
}

/** Formats cost and tokens for people; null if nothing was used. */
export function usageText(usage: Usage | null): string | null {
  const tokens = usage === null ? 0 : usage.input_tokens + usage.output_tokens;
  if (usage === null || (tokens === 0 && usage.cost_usd === null)) return null;
  return [costText(usage), `${tokens} tokens`].filter((part) => part !== "").join(", ");
}

export type UsageOptions = ConnectFlags & {
  json?: true;
  project?: string;
  by: "day" | "agent" | "task";
  days: number;
};

/** `pawl code usage` */
export function showUsage(
  environment: CliEnvironment,
  { project, by, days, ...flags }: UsageOptions,
): Promise<ExitCode> {
  const { out } = environment;
  return atServer(environment, flags, async ({ client }) => {
    const usage = await client.calls(CODE_ROUTES).getCodeUsage({ project_id: project, by, days });
    const name = ({ key, title }: (typeof usage)["rows"][number]) =>
      title === null ? key : `${isTty(out) ? shortId(key) : key}  ${oneLine(title)}`;
    const rows = usage.rows.map((row) => [
      name(row),
      costText(row),
      String(row.input_tokens),
      String(row.output_tokens),
      String(row.runs),
    ]);
    return print(out, {
      json: flags.json,
      value: usage,
      text: () =>
        rows.length === 0
          ? "No usage recorded."
          : textTable([by.toUpperCase(), "COST", "TOKENS IN", "TOKENS OUT", "ATTEMPTS"], rows, out),
    });
  });
}
