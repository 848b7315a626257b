import axe from "axe-core";
import type { Page } from "playwright-core";

type Violation = { id: string; impact: string; nodes: { target: string[]; failureSummary: string }[] };

/** Serious findings of axe on a page; `evaluate` is not subject to the page's content security policy. */
export async function seriousFindings(page: Page): Promise<string[]> {
  await page.evaluate(axe.source);
  await page.evaluate(AT_REST);
  const { violations } = await page.evaluate<{ violations: Violation[] }>(
    "axe.run(document, { runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'best-practice'] })",
  );
  return violations
    .filter(({ impact }) => impact === "serious" || impact === "critical")
    .flatMap(({ id, nodes }) =>
      nodes.map((node) => `${id}: ${node.target.join(" ")} — ${node.failureSummary}`),
    );
}

// Waits for finite animations: a dialog that is still fading in has too little contrast.
const AT_REST = `
  Promise.allSettled(
    document.getAnimations()
      .filter((animation) => Number.isFinite(animation.effect.getComputedTiming().endTime))
      .map((animation) => animation.finished),
  ).then(() => undefined)`;
