// npm run generate: writes the generated files: the diagram and tables in each lifecycle's README, the schema after all
// migrations, the route tables of the client and the console, docs/configuration.md and docs/broken-rules.md.
import { readFile, writeFile } from "node:fs/promises";
import { PLUGINS } from "../src/lifecycles/index.ts";
import type { RouteTable } from "../src/api/index.ts";
import { clientRows, lifecycleRows } from "./client-rows.ts";
import { configurationPage } from "./configuration-page.ts";
import { brokenRulesPage } from "./mutate/broken-rules-page.ts";
import { withGeneratedPart } from "./lifecycle-page.ts";
import { writeSchema } from "./write-schema.ts";

const LIFECYCLES = PLUGINS.map(({ lifecycle }) => lifecycle);

for (const lifecycle of LIFECYCLES) {
  const file = new URL(`../src/lifecycles/${lifecycle.name}/README.md`, import.meta.url);
  const readme = await readFile(file, "utf8");
  const page = withGeneratedPart(lifecycle, readme);
  if (page === readme) continue;
  await writeFile(file, page);
  console.log(`wrote src/lifecycles/${lifecycle.name}/README.md`);
}

const schema = new URL("../src/engine/schema.sql", import.meta.url);
if (await writeSchema(schema)) console.log("wrote src/engine/schema.sql");

const rows = new URL("../src/client/route-meta.ts", import.meta.url);
if ((await readFile(rows, "utf8")) !== clientRows()) {
  await writeFile(rows, clientRows());
  console.log("wrote src/client/route-meta.ts");
}

for (const { name } of LIFECYCLES) {
  const constant = `${name.toUpperCase().replaceAll("-", "_")}_ROUTES`;
  const api = (await import(`../src/lifecycles/${name}/api.ts`)) as Record<string, RouteTable>;
  const table = api[constant];
  if (!table) throw new Error(`src/lifecycles/${name}/api.ts does not export ${constant}`);
  const file = new URL(`../src/lifecycles/${name}/rows.ts`, import.meta.url);
  const text = lifecycleRows(constant, table);
  if ((await readFile(file, "utf8").catch(() => "")) === text) continue;
  await writeFile(file, text);
  console.log(`wrote src/lifecycles/${name}/rows.ts`);
}

const settings = new URL("../docs/configuration.md", import.meta.url);
if ((await readFile(settings, "utf8").catch(() => "")) !== configurationPage()) {
  await writeFile(settings, configurationPage());
  console.log("wrote docs/configuration.md");
}

const brokenRules = new URL("../docs/broken-rules.md", import.meta.url);
if ((await readFile(brokenRules, "utf8").catch(() => "")) !== brokenRulesPage()) {
  await writeFile(brokenRules, brokenRulesPage());
  console.log("wrote docs/broken-rules.md");
}
