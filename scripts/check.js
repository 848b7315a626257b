// npm run check: format, lint, plain English, types, import rules, dead code, tests. Runs all of them and lists the failed ones at the end.
import { spawnSync } from "node:child_process";

const STEPS = [
  ["format", ["prettier", "--check", "--log-level", "warn", "."]],
  // In parts: the types of everything together do not fit into Node's default heap.
  ["lint of the sources", ["eslint", "src"]],
  ["lint of the tests", ["eslint", "test"]],
  ["lint of the rest", ["eslint", ".", "--ignore-pattern", "src/", "--ignore-pattern", "test/"]],
  ["plain English", ["eslint", "-c", "scripts/words/eslint.config.ts", "."]],
  ["plain English in documents", ["tsx", "scripts/words/check-documents.ts"]],
  ["types", ["tsc", "--noEmit", "-p", "."]],
  ["types of the console", ["tsc", "--noEmit", "-p", "src/console"]],
  ["types of the chat page", ["tsc", "--noEmit", "-p", "examples/chat-line"]],
  ["import rules", ["depcruise", "--config", ".dependency-cruiser.js", "--output-type", "err", "src"]],
  ["dead code", ["knip"]],
  ["tests", ["vitest", "run"]],
];

const skipTests = process.argv.includes("--no-tests");
const failed = [];
for (const [name, [tool, ...args]] of STEPS) {
  if (name === "tests" && skipTests) continue;
  console.log(`\n— ${name}`);
  const started = Date.now();
  const { status } = spawnSync("npm", ["exec", "--no", "--", tool, ...args], {
    stdio: "inherit",
    shell: process.platform === "win32",
  });
  console.log(`  ${status === 0 ? "ok" : "FAILED"} in ${((Date.now() - started) / 1000).toFixed(1)} s`);
  if (status !== 0) failed.push(name);
}
if (failed.length > 0) {
  console.error(`\ncheck failed: ${failed.join(", ")}`);
  process.exitCode = 1;
}
