import { expect, test } from "vitest";
import { configWith, folderWith, pawl } from "./pawl-process.ts";

/** A configuration whose lifecycle is a plugin with a command. */
const CONFIG = configWith({
  head: 'import { defineConfig, defineLifecycle } from "pawl";\nimport { definePlugin, print } from "pawl/plugin";\nimport { z } from "zod";',
})
  .replace("lifecycles: [", "lifecycles: [letterPlugin(")
  .replace(/\],\n\}\);\n$/, ")],\n});\n").concat(`
function letterPlugin(lifecycle: any) {
  return definePlugin({
    lifecycle,
    settings: {
      letterStamp: {
        env: "LETTER_STAMP", schema: z.string().length(3), default: "EUR", expected: "three letters", description: "the stamp",
      },
    },
    commands: (program, environment, setExitCode) => {
      program
        .command("letters")
        .description("Counts letters.")
        .argument("<text>")
        .action((text: string) => {
          setExitCode(print(environment.out, { value: { letters: text.length }, text: () => String(text.length) }));
        });
    },
  });
}
`);

test("a plugin of the user's configuration adds its commands", async () => {
  const cwd = await folderWith({ "pawl.config.ts": CONFIG });
  expect(await pawl(["letters", "Pawl"], { cwd })).toMatchObject({ code: 0, stdout: "4\n", stderr: "" });
  expect((await pawl(["--help"], { cwd })).stdout).toMatch(/letters\b.*Counts letters/);
  expect((await pawl(["check", "letters"], { cwd })).code).toBe(0);
});

test("an unknown command is refused, with suggestions from the user's plugins", async () => {
  const cwd = await folderWith({ "pawl.config.ts": CONFIG });
  const { code, stderr } = await pawl(["leters", "Pawl"], { cwd });
  expect(code).toBe(2);
  expect(stderr).toContain('did you mean "letters"?');
});

test("a broken configuration is reported for an unknown command, and the help still works", async () => {
  const cwd = await folderWith({ "pawl.config.ts": "export default {" });
  expect(await pawl(["letters"], { cwd })).toMatchObject({
    code: 1,
    stderr: expect.stringContaining("pawl.config.ts") as string,
  });
  expect((await pawl(["--help"], { cwd })).stdout).toContain("pawl start");
});
