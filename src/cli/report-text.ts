import type { CheckReport, Finding, Step } from "../core/index.ts";
import { count } from "./print.ts";
import type { Screen } from "./cli-environment.ts";
import { wrap } from "./wrap.ts";

export type Report = CheckReport & { statuses: number; rules: number };

/** Formats the report of one lifecycle: counts, invariants that hold, and each finding with the path to it. */
export function reportText(report: Report, screen: Screen): string {
  const { bold, green, red } = screen.colours;
  const holding = holdingInvariants(report);
  const counts = [
    count(report.statuses, "status", "statuses"),
    count(report.rules, "rule"),
    count(report.situations, "situation"),
    holdingText(holding.length, report.invariants.length),
  ];
  const mark = report.findings.length === 0 ? green("✓") : red("✗");
  const head = wrap(`${report.lifecycle} v${report.version}: ${counts.join(", ")}`, screen.columns, 2);
  return [
    `${mark} ${head.replace(report.lifecycle, bold)}`,
    ...holding.map((name) => bullet(green("✓"), name, screen)),
    ...report.findings.map((finding) => findingText(finding, screen)),
  ].join("\n");
}

/** The last line: the number of lifecycles, how many of them are the user's, and the findings. */
export function summaryText(
  reports: readonly Report[],
  own: { file: string | null; count: number },
  { colours: { green, red, yellow } }: Screen,
): string {
  const findings = reports.flatMap((report) => report.findings);
  const errors = findings.filter(({ level }) => level === "error").length;
  const warnings = findings.length - errors;
  const from = own.count > 0 && own.file !== null ? ` (${own.count} of ${own.file})` : "";
  const found = [
    errors > 0 && red(count(errors, "error")),
    warnings > 0 && yellow(count(warnings, "warning")),
  ];
  const verdict = findings.length === 0 ? green("no findings") : found.filter(Boolean).join(", ");
  return `${count(reports.length, "lifecycle")} checked${from}: ${verdict}.`;
}

/** Empty if the check stopped early, because an unfinished check proves nothing. */
function holdingInvariants({ invariants, findings }: Report): string[] {
  if (findings.some(({ kind }) => kind === "too_large")) return [];
  return invariants.filter((name) => !findings.some(({ invariant }) => invariant === name));
}

function holdingText(holding: number, declared: number): string {
  if (declared === 0) return "no invariants";
  const some = holding === declared ? "" : `${holding} of `;
  return `${some}${count(declared, "invariant")} ${holding === 1 || declared === 1 ? "holds" : "hold"}`;
}

function findingText({ level, message, path }: Finding, screen: Screen): string {
  const { red, yellow, dim } = screen.colours;
  const head =
    level === "error"
      ? bullet(red("✗"), message, screen)
      : bullet(yellow("!"), `warning: ${message}`, screen);
  const steps = path.map((step, index) => {
    const number = `${index + 1}. `.padStart(4 + String(path.length).length);
    return `      ${dim(number)}${wrap(stepText(step), screen.columns, 6 + number.length)}`;
  });
  return [head, ...steps].join("\n");
}

function stepText({ action, by, state }: Step): string {
  return `${action}${by === "" ? "" : ` by ${by}`} → ${state}`;
}

function bullet(mark: string, text: string, { columns }: Screen): string {
  return `    ${mark} ${wrap(text, columns, 6)}`;
}
