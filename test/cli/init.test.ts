import { execFile } from "node:child_process";
import { readFile, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { folderWith, pawl } from "./pawl-process.ts";
import { ROOT } from "../support/built-pawl.ts";

test("init writes a lifecycle that passes its check and compiles under strict, and prints the next steps", async () => {
  const cwd = await folderWith({ "package.json": '{ "type": "module" }' });
  const { code, stdout, stderr } = await pawl(["init"], { cwd });
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  for (const next of ["pawl check errand", "pawl start", "pawl watch"]) expect(stdout).toContain(next);
  const checked = await pawl(["check", "errand"], { cwd });
  expect(checked).toMatchObject({ code: 0, stderr: "" });
  expect(checked.stdout).toContain("2 invariants hold");
  // Compiled as a user would: with Pawl and zod installed.
  const tsc = createRequire(import.meta.url).resolve("typescript/bin/tsc");
  const config = join(cwd, "tsconfig.json");
  await writeFile(
    config,
    JSON.stringify({
      extends: join(ROOT, "tsconfig.json"),
      compilerOptions: {
        paths: { pawl: [join(ROOT, "src/main/index.ts")], zod: [join(ROOT, "node_modules/zod/index.d.ts")] },
        typeRoots: [join(ROOT, "node_modules/@types")],
      },
      include: [join(cwd, "pawl.config.ts")],
    }),
  );
  const { stdout: errors } = await promisify(execFile)(process.execPath, [tsc, "-p", config]).catch(
    (error: unknown) => error as { stdout: string },
  );
  expect(errors).toBe("");
});

test.each(["pawl.config.ts", "pawl.config.mjs"])("init does not change an existing %s", async (name) => {
  const cwd = await folderWith({ [name]: "export default {};" });
  expect(await pawl(["init"], { cwd })).toEqual({
    code: 3,
    stdout: "",
    stderr: `pawl: ${name} already exists in this folder and was not changed.\n  \`pawl check\` checks the lifecycles that it declares.\n`,
  });
  expect(await readFile(join(cwd, name), "utf8")).toBe("export default {};");
});
