import { build } from "esbuild";
import { expect, test } from "vitest";
import { ROOT } from "../support/built-pawl.ts";

/** Returns the packages that a module imports statically, directly or indirectly. */
async function packagesLoadedBy(entry: string): Promise<string[]> {
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
  "%s does not load the libraries of Telegram and MCP",
  async (entry) => {
    const loaded = await packagesLoadedBy(entry);
    expect(loaded).toContain("postgres");
    expect(loaded.filter((name) => name === "grammy" || name.startsWith("@modelcontextprotocol/"))).toEqual(
      [],
    );
  },
);

test("the client loads no server packages", async () => {
  expect(await packagesLoadedBy("src/client/index.ts")).toEqual(["eventsource-parser"]);
});
