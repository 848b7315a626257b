import { expect, test } from "vitest";
import { configWith, folderWith, pawl } from "./pawl-process.ts";

test("a configuration can be split over TypeScript files and import pawl/core and the lifecycles", async () => {
  const cwd = await folderWith({
    "pawl.config.ts": `
      import { defineConfig, LIFECYCLES } from "pawl";
      import { board } from "pawl/lifecycles/board";
      import { letters } from "./letters.ts";
      if (!LIFECYCLES.includes(board)) throw new Error("two boards");
      export default defineConfig({ lifecycles: [letters] });`,
    "letters.ts": configWith({
      head: 'import { defineLifecycle } from "pawl/core";\nimport * as z from "zod";',
    })
      .replace("export default defineConfig({\n  lifecycles: [", "export const [letters] = [")
      .replace("],\n});\n", "] as const;\n"),
  });
  expect(await pawl(["check", "letters"], { cwd })).toMatchObject({ code: 0, stderr: "" });
});

const REQUIRING = configWith({
  head: 'const { defineConfig, defineLifecycle } = require("pawl");\nconst { z } = require("zod");',
}).replace("export default", "module.exports =");

test.each([
  ["pawl.config.js", "module", configWith()],
  ["pawl.config.mjs", "commonjs", configWith()],
  ["pawl.config.mts", "commonjs", configWith()],
  ["pawl.config.js", "commonjs", REQUIRING],
  ["pawl.config.cjs", "module", REQUIRING],
  ["pawl.config.ts", "commonjs", REQUIRING],
])("%s in a package of type %s is found too", async (file, type, text) => {
  const cwd = await folderWith({ "package.json": JSON.stringify({ type }), [file]: text });
  const { code, stdout } = await pawl(["check", "letters"], { cwd });
  expect(code).toBe(0);
  expect(stdout).toContain(`(1 of ${file})`);
});

const NOTHING = "export default {};";
const BAD: [string, string, RegExp][] = [
  [
    "an unknown key",
    "export default { lifecycle: [] };",
    /^pawl\.config\.ts: there is no setting "lifecycle"; did you mean "lifecycles"\?/,
  ],
  [
    "an unknown key without a similar one",
    "export default { cheese: 1 };",
    /^pawl\.config\.ts: there is no setting "cheese"\.$/,
  ],
  [
    "a value that is not a lifecycle",
    "export default { lifecycles: [7] };",
    /^pawl\.config\.ts: lifecycles\[0\] is the number 7, not a lifecycle made by defineLifecycle or definePlugin\.$/,
  ],
  [
    "a definition that was not defined",
    'export default { lifecycles: [{ name: "letters" }] };',
    /^pawl\.config\.ts: lifecycles\[0\] is the plain object "letters", not a lifecycle made by defineLifecycle or definePlugin\.$/,
  ],
  [
    "lifecycles that are not a list",
    "export default { lifecycles: {} };",
    /^pawl\.config\.ts: lifecycles must be a list\.$/,
  ],
  [
    "a default export that is not an object",
    "export default 7;",
    /^pawl\.config\.ts: the default export must be an object\.$/,
  ],
  [
    "no export at all",
    'import { defineConfig } from "pawl";\ndefineConfig({});',
    /^pawl\.config\.ts exports nothing: write `export default defineConfig\(\{ … \}\)`\.$/,
  ],
  [
    "a lifecycle that is exported by its name",
    configWith()
      .replace("export default defineConfig({\n  lifecycles: [", "export const [letters] = [")
      .replace("],\n});\n", "] as const;\nexport const more = 1;\n"),
    /^pawl\.config\.ts has no default export: write `export default defineConfig\(\{ lifecycles: \[letters\] \}\)`\.$/,
  ],
  [
    "settings that are exported by their names",
    "export const port = 4748;",
    /^pawl\.config\.ts has no default export: write `export default defineConfig\(\{ … \}\)`\.$/,
  ],
  [
    "an origin with a path",
    'export default { corsOrigins: ["https://a.example/app"] };',
    /^pawl\.config\.ts: corsOrigins must be a list of origins like https:\/\/example\.com, without paths; did you mean https:\/\/a\.example\?$/,
  ],
  [
    "an allowed host with a port",
    'export default { allowedHosts: ["a.example:443"] };',
    /^pawl\.config\.ts: allowedHosts must be a list of host names .*; did you mean a\.example\?$/,
  ],
  [
    "a default export of nothing",
    "export default undefined;",
    /^pawl\.config\.ts exports undefined: write `export default defineConfig\(\{ … \}\)`\.$/,
  ],
  [
    "an await that never settles",
    "await new Promise(() => {});\nexport default {};",
    /^pawl\.config\.ts cannot be loaded: a top-level await never settles\.$/,
  ],
  [
    "an object that only looks like a lifecycle",
    'export default { lifecycles: [{ name: "odd", table: new Map() }] };',
    /^pawl\.config\.ts: lifecycles\[0\] is the plain object "odd", not a lifecycle made by defineLifecycle or definePlugin\.$/,
  ],
  [
    "settings whose schema throws",
    configWith({ more: 'settings: z.object({}).refine(() => { throw new Error("boom"); }),' }),
    /^Lifecycle "letters" \(pawl\.config\.ts:5\): the settings cannot be read: their schema throws Error: boom\.$/,
  ],
  [
    "the name of a shipped lifecycle",
    configWith({ name: 'name: "board",' }),
    /^pawl\.config\.ts: the lifecycle name "board" is taken: one ships with Pawl\.$/,
  ],
  [
    "the same name twice",
    `${configWith().replace("export default", "const once =")}export default { lifecycles: [...once.lifecycles, ...once.lifecycles] };`,
    /^pawl\.config\.ts: two lifecycles are named "letters"\.$/,
  ],
  [
    "a syntax error",
    "\n\nexport default { lifecycles: [ };",
    /^pawl\.config\.ts:3 cannot be loaded: Unexpected token\.$/,
  ],
  [
    "a file that throws",
    'type A = {\n  b: 1;\n};\n\nthrow new Error("no luck today");',
    /^pawl\.config\.ts:5 cannot be loaded: no luck today\.$/,
  ],
  ["a file that throws no error", 'throw "a tantrum";', /^pawl\.config\.ts cannot be loaded: a tantrum\.$/],
  [
    "a missing package",
    '\nimport "left-pad";\nexport default {};',
    /^pawl\.config\.ts:2 cannot be loaded: Cannot find module 'left-pad'\.$/,
  ],
  [
    "a missing file",
    '\nimport "./letters.ts";\nexport default {};',
    /^pawl\.config\.ts:2 cannot be loaded: Cannot find module '\.\/letters\.ts'\.$/,
  ],
  [
    "a misspelt import",
    'import { defineLifecycl } from "pawl";\nexport default defineLifecycl({});',
    /^pawl\.config\.ts:2 cannot be loaded: defineLifecycl is not a function\.$/,
  ],
];

test.each(BAD)("a configuration with %s is refused in one sentence", async (_, text, sentence) => {
  const cwd = await folderWith({ "pawl.config.ts": text });
  const { code, stdout, stderr } = await pawl(["check", "board"], { cwd });
  expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
  const [first = "", ...rest] = stderr.trimEnd().split("\n");
  expect(first.slice("pawl: ".length)).toMatch(sentence);
  expect(rest).toHaveLength(1);
});

test("a configuration with several mistakes names each", async () => {
  const cwd = await folderWith({ "pawl.config.ts": "export default { lifecycles: [1, null], prot: 2 };" });
  const { stderr } = await pawl(["check"], { cwd });
  expect(stderr).toMatch(
    /^pawl: pawl\.config\.ts has 3 mistakes:\n {2}- .*\n {2}- .*\n {2}- there is no setting "prot"; did you mean "port"\?\n/,
  );
});

test("a schema that throws while the lifecycle is checked is reported as the lifecycle's mistake, not as a bug in Pawl", async () => {
  // It reads its defaults once when it is defined, and fails the next time.
  const more =
    'settings: z.object({}).refine(() => { if (read++ > 0) throw new Error("boom"); return true; }),';
  const text = configWith({ more }).replace("export default", "let read = 0;\nexport default");
  const cwd = await folderWith({ "pawl.config.ts": text });
  expect(await pawl(["diagram", "letters", "--json"], { cwd })).toMatchObject({
    code: 1,
    stdout: "",
    stderr: expect.stringContaining('"code":"INVALID_LIFECYCLE"') as string,
  });
  const { stderr } = await pawl(["check", "letters"], { cwd });
  expect(stderr).not.toContain("bug in Pawl");
});

test("an error in code that the configuration does not await is reported in one sentence", async () => {
  const cwd = await folderWith({
    "pawl.config.ts":
      'setTimeout(() => { throw new Error("late"); });\nawait new Promise((r) => setTimeout(r, 9000));',
  });
  expect(await pawl(["check"], { cwd })).toEqual({
    code: 1,
    stdout: "",
    stderr: "pawl: code from the configuration failed outside of any command (late).\n",
  });
});

test("a mistake in a file that the configuration imports is reported with its location", async () => {
  const cwd = await folderWith({
    "pawl.config.ts": 'import "./other.ts";\nexport default {};',
    "other.ts": "\nnull!.x;",
  });
  const { stderr } = await pawl(["check"], { cwd });
  expect(stderr).toMatch(/^pawl: other\.ts:2 cannot be loaded: Cannot read properties of null/);
});

test.each(["nowhere.ts", "."])("--config %s, which is not a file, is refused by name", async (path) => {
  const cwd = await folderWith({ "pawl.config.ts": NOTHING });
  const { code, stderr } = await pawl(["check", "--config", path], { cwd });
  expect(code).toBe(2);
  expect(stderr).toMatch(/^pawl: There is no configuration file .+\.\n/);
});

test("an empty configuration is fine", async () => {
  const cwd = await folderWith({ "pawl.config.ts": NOTHING });
  expect(await pawl(["check", "board"], { cwd })).toMatchObject({ code: 0, stderr: "" });
});
