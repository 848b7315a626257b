// npm run mutate: breaks each rule of the write path once, in a copy of the project, and expects the named test to fail.
// `npm run mutate -- lease` runs the mutations whose rule, fault, file or test contains the word. Exits with 1 if a mutation
// survives or no longer applies, or if a named test fails without it.
import { spawn } from "node:child_process";
import { cp, mkdtemp, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import type { Mutation } from "./mutation.ts";
import { RULES } from "./rules.ts";

const PROJECT = fileURLToPath(new URL("../..", import.meta.url));
const LEFT_OUT = new Set(["node_modules", ".git", "dist", "build"]);
const TIME_LIMIT_MS = 300_000;
const TEST_TIMEOUT_MS = 60_000;

type TestFile = { message?: string; assertionResults: { status: string; fullName: string }[] };
type TestReport = { passed: number; failed: string[]; brokenFiles: string[] };

const { values: options, positionals: words } = parseArgs({
  allowPositionals: true,
  options: { parallel: { type: "string", default: "2" } },
});

/** Copies the project; the packages are linked. */
async function copyProject(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "pawl-mutate-"));
  await cp(PROJECT, folder, { recursive: true, filter: (path) => !LEFT_OUT.has(basename(path)) });
  await symlink(join(PROJECT, "node_modules"), join(folder, "node_modules"));
  return folder;
}

/** Runs tests in a copy; null if they exceed the time limit. `name` selects tests by words of their names. */
async function runTests(folder: string, files: readonly string[], name = ""): Promise<TestReport | null> {
  const output = join(folder, "mutate-report.json");
  await rm(output, { force: true });
  const selection = name === "" ? [] : ["-t", name.replace(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`)];
  const args = [
    "run",
    ...files,
    ...selection,
    `--testTimeout=${TEST_TIMEOUT_MS}`,
    `--hookTimeout=${TEST_TIMEOUT_MS}`,
  ];
  const vitest = spawn(
    process.execPath,
    [join(PROJECT, "node_modules/vitest/vitest.mjs"), ...args, "--reporter=json", `--outputFile=${output}`],
    { cwd: folder, stdio: "ignore", detached: true },
  );
  const isInTime = await new Promise<boolean>((resolve) => {
    const timer = setTimeout(() => {
      process.kill(-(vitest.pid ?? 0), "SIGKILL");
      resolve(false);
    }, TIME_LIMIT_MS);
    vitest.once("exit", () => {
      clearTimeout(timer);
      resolve(true);
    });
  });
  if (!isInTime) return null;
  const { testResults } = JSON.parse(await readFile(output, "utf8")) as { testResults: TestFile[] };
  const tests = testResults.flatMap(({ assertionResults }) => assertionResults);
  return {
    passed: tests.filter(({ status }) => status === "passed").length,
    failed: tests.filter(({ status }) => status === "failed").map(({ fullName }) => fullName),
    brokenFiles: testResults.flatMap(({ message, assertionResults }) =>
      message && assertionResults.every(({ status }) => status !== "failed") ? [message] : [],
    ),
  };
}

/** Applies a mutation, runs its test and restores the file. Returns why the mutation is not caught, or null. */
async function tryMutation(
  folder: string,
  { file, find, replace, test, name }: Mutation,
): Promise<string | null> {
  const path = join(folder, file);
  const source = await readFile(path, "utf8");
  if (source.split(find).length !== 2) return "no longer applies: the text must occur once";
  await writeFile(
    path,
    source.replace(find, () => replace),
  );
  try {
    const report = await runTests(folder, [test], name);
    if (report === null) return "the tests exceeded the time limit";
    if (report.failed.length > 0) return null;
    return report.brokenFiles[0]?.split("\n")[0] ?? (report.passed > 0 ? "survived" : "no such test");
  } finally {
    await writeFile(path, source);
  }
}

const selected = RULES.flatMap(({ rule, mutations }) =>
  mutations
    .filter((one) => words.every((word) => `${rule} ${one.fault} ${one.file} ${one.test}`.includes(word)))
    .map((mutation) => ({ rule, mutation })),
);
const folders = await Promise.all(Array.from({ length: Math.max(1, Number(options.parallel)) }, copyProject));
let problems = 0;
try {
  const [first = ""] = folders;
  const intact = await runTests(first, [...new Set(selected.map(({ mutation }) => mutation.test))]);
  if (intact === null || intact.failed.length + intact.brokenFiles.length > 0) {
    console.error("Without a mutation, the tests fail or exceed the time limit:", intact);
    problems++;
  }
  const waiting = [...selected];
  await Promise.all(
    folders.map(async (folder) => {
      for (let next = waiting.shift(); next; next = waiting.shift()) {
        const { rule, mutation } = next;
        const begun = Date.now();
        const problem = await tryMutation(folder, mutation);
        if (problem !== null) problems++;
        const seconds = ((Date.now() - begun) / 1000).toFixed(0);
        console.log(
          `${problem === null ? "caught " : "PROBLEM"} ${seconds.padStart(3)} s  ${mutation.fault} (${rule})`,
        );
        console.log(`              ${mutation.test}: ${problem ?? mutation.name}`);
      }
    }),
  );
} finally {
  await Promise.all(folders.map((folder) => rm(folder, { recursive: true, force: true })));
}
console.log(`${selected.length} mutations, ${problems} problems`);
process.exitCode = problems === 0 ? 0 : 1;
