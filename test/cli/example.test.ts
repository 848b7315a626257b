import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { EXAMPLE, folderWith, pawl } from "./pawl-process.ts";

/** The commands in the README, each with the output that it shows. */
async function shownCommands(): Promise<{ args: string[]; printed: string }[]> {
  const readme = await readFile(join(EXAMPLE, "README.md"), "utf8");
  return [...readme.matchAll(/```console\n\$ pawl (.*)\n([^`]*)```/g)].map(([, line = "", printed = ""]) => ({
    args: line.split(" "),
    printed,
  }));
}

test("the support ticket passes its check and prints what its README shows", async () => {
  const [sound, , table] = await shownCommands();
  for (const { args, printed } of [sound!, table!]) {
    expect(await pawl(args, { cwd: EXAMPLE })).toEqual({ code: 0, stdout: printed, stderr: "" });
  }
});

test("the diagram in the README is up to date", async () => {
  const { stdout } = await pawl(["diagram", "support-ticket"], { cwd: EXAMPLE });
  expect(await readFile(join(EXAMPLE, "README.md"), "utf8")).toContain(`\`\`\`mermaid\n${stdout}\`\`\``);
});

test("broken as the README describes, it prints the path that the README shows", async () => {
  const lifecycle = await readFile(join(EXAMPLE, "lifecycle.ts"), "utf8");
  const broken = lifecycle.replace(/(action: "hand_back".*), effects: \["clear_assignee"\]/, "$1");
  expect(broken).not.toBe(lifecycle);
  const cwd = await folderWith({
    "lifecycle.ts": broken,
    "pawl.config.ts": await readFile(join(EXAMPLE, "pawl.config.ts"), "utf8"),
  });
  const [, shown] = await shownCommands();
  expect(await pawl(shown!.args, { cwd })).toEqual({ code: 1, stdout: shown!.printed, stderr: "" });
});
