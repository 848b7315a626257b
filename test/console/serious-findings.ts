import axe from "axe-core";
import type { Page } from "playwright-core";

type Violation = { id: string; impact: string; nodes: { target: string[]; failureSummary: string }[] };

/** What axe finds serious on a page; its script comes past the page's policy, as a tester's tools do. */
export async function seriousFindings(page: Page): Promise<string[]> {
  await page.evaluate(axe.source);
  const { violations } = await page.evaluate<{ violations: Violation[] }>(
    "axe.run(document, { runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'best-practice'] })",
  );
  return violations
    .filter(({ impact }) => impact === "serious" || impact === "critical")
    .flatMap(({ id, nodes }) =>
      nodes.map((node) => `${id}: ${node.target.join(" ")} — ${node.failureSummary}`),
    );
}
