/** Returns the cost in US dollars that a line of Claude Code's `stream-json` reports at the end of a session; otherwise null. */
export function reportedCost(line: string): number | null {
  if (!line.includes('"total_cost_usd"')) return null;
  try {
    const { type, total_cost_usd: usd } = JSON.parse(line) as { type?: unknown; total_cost_usd?: unknown };
    return type === "result" && typeof usd === "number" && usd >= 0 && Number.isFinite(usd) ? usd : null;
  } catch {
    return null;
  }
}
