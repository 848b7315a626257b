import { build } from "esbuild";
import { expect, test } from "vitest";
import { ROOT } from "../support/built-pawl.ts";

/** The packages that are loaded together with a module: what it imports statically, and what that imports. */
async function loadedWith(entry: string): Promise<string[]> {
  const { metafile } = await build({
    absWorkingDir: ROOT,
    entryPoints: [entry],
    bundle: true,
    platform: "node",
    format: "esm",
    splitting: true,
    outdir: "out",
    packages: "external",
    write: false,
    metafile: true,
    logLevel: "silent",
  });
  const packages = new Set<string>();
  const seen = new Set<string>();
  const visit = (file: string) => {
    if (seen.has(file)) return;
    seen.add(file);
    for (const { path, kind, external } of metafile.inputs[file]?.imports ?? []) {
      if (kind !== "import-statement") continue;
      if (!external) visit(path);
      else if (!path.startsWith("node:"))
        packages.add(
          path
            .split("/")
            .slice(0, path.startsWith("@") ? 2 : 1)
            .join("/"),
        );
    }
  };
  visit(entry);
  return [...packages].sort();
}

test.each(["src/main/index.ts", "src/plugin/index.ts"])(
  "%s loads neither Telegram's nor MCP's library",
  async (entry) => {
    const loaded = await loadedWith(entry);
    expect(loaded).toContain("postgres");
    expect(loaded.filter((name) => name === "grammy" || name.startsWith("@modelcontextprotocol/"))).toEqual(
      [],
    );
  },
);

test("a plain client loads no server", async () => {
  expect(await loadedWith("src/client/index.ts")).toEqual(["eventsource-parser"]);
});
