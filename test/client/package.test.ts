import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdtemp, readdir, readFile, realpath, rm, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { publint } from "publint";
import { formatMessage } from "publint/utils";
import { beforeAll, expect, test } from "vitest";
import { installPawl, packPawl } from "../support/installed-pawl.ts";

const execute = promisify(execFile);

/** The folder that the tarball was packed from, and a project that has it installed. */
let packed: string;
let project: string;

beforeAll(async () => {
  const scratch = await realpath(await mkdtemp(join(tmpdir(), "pawl-package-")));
  project = join(scratch, "project");
  const result = await packPawl(scratch);
  packed = result.packed;
  await installPawl(result.tarball, project, ["@types/react", "@types/node", "csstype"]);
  return () => rm(scratch, { recursive: true, force: true });
});

const LIFECYCLE = (specifier: string) => `
import { defineLifecycle } from "${specifier}";
import { z } from "zod";

export const parcel = defineLifecycle({
  name: "parcel",
  version: 1,
  summary: "Parcels",
  data: z.object({ weight: z.number() }),
  statuses: { packed: {}, sent: { final: true, success: true } },
  actions: { send: { input: z.object({ to: z.string() }) }, weigh: { comment: "required" } },
  creation: {
    input: z.object({ title: z.string(), weight: z.number().default(1) }),
    to: [{ status: "packed" }],
    draft: ({ input }) => ({ title: input.title, data: { weight: input.weight } }),
  },
  rules: [
    { action: "send", from: "packed", to: "sent", who: "anyone" },
    { action: "weigh", from: "packed", who: "anyone" },
  ],
});
`;

const USE = `
import { createClient, PawlProblem } from "pawl/client";
import type { TaskOf } from "pawl/client";
import type { parcel } from "./lifecycle.js";

const client = createClient<typeof parcel>({ url: "http://127.0.0.1:4747", token: "secret" });
const parcels = client.lifecycle("parcel");

export async function send(title: string): Promise<"sent" | "packed" | null> {
  try {
    const created: TaskOf<typeof parcel> = await parcels.create({ title });
    const weight: number = created.data.weight;
    await parcels.act(created.id, "weigh", { comment: String(weight) });
    // @ts-expect-error the payload is missing
    await parcels.act(created.id, "send");
    // @ts-expect-error there is no action "burn"
    await parcels.act(created.id, "burn");
    // @ts-expect-error the title is missing
    await parcels.create({ weight: 3 });
    const { task } = await parcels.act(created.id, "send", { payload: { to: "Ann" } });
    for await (const event of parcels.events({ after: 0 })) if (event.task_id === task.id) break;
    return task.status;
  } catch (error) {
    if (error instanceof PawlProblem && error.code === "VERSION_CONFLICT") return null;
    throw error;
  }
}
`;

const SHOW = `
import { createElement } from "react";
import { PawlProvider, useActions, useTasks } from "pawl/react";
import { createClient } from "pawl/client";
import type { parcel } from "./lifecycle.js";

export function Parcels() {
  const { tasks, loading } = useTasks<typeof parcel>({ lifecycle: "parcel", status: ["packed"] });
  return createElement("ul", null, loading ? "…" : tasks.map(({ id }) => createElement(Parcel, { key: id, id })));
}

function Parcel({ id }: { id: string }) {
  const { act, acting } = useActions<typeof parcel>(id);
  const onClick = () => void act("send", { payload: { to: "Ann" } });
  return createElement("button", { onClick, disabled: acting !== null }, "send");
}

const client = createClient<typeof parcel>({ url: "/" });
export const App = () => createElement(PawlProvider, { client }, createElement(Parcels));
`;

const STRICT = {
  strict: true,
  exactOptionalPropertyTypes: true,
  noUncheckedIndexedAccess: true,
  verbatimModuleSyntax: true,
  noEmit: true,
  target: "es2022",
};
const BROWSER = { lib: ["es2022", "dom", "dom.iterable"], types: [] };
const NODE = { lib: ["es2022"], types: ["node"], skipLibCheck: true };
const SETTINGS = {
  "in a browser, as a bundler resolves": { module: "esnext", moduleResolution: "bundler", ...BROWSER },
  "in a browser, as Node resolves": { module: "nodenext", moduleResolution: "nodenext", ...BROWSER },
  "on Node": { module: "nodenext", moduleResolution: "nodenext", ...NODE },
};

test.each(Object.entries(SETTINGS))(
  "a user's lifecycle has complete types: %s",
  async (name, compilerOptions) => {
    const files = {
      "package.json": JSON.stringify({ name: "parcels", private: true, type: "module" }),
      "tsconfig.json": JSON.stringify({
        compilerOptions: { ...STRICT, ...compilerOptions },
        include: ["*.ts"],
      }),
      "lifecycle.ts": LIFECYCLE(name === "on Node" ? "pawl" : "pawl/core"),
      "use.ts": USE,
      "show.ts": SHOW,
    };
    for (const [file, text] of Object.entries(files)) await writeFile(join(project, file), text);
    const tsc = createRequire(import.meta.url).resolve("typescript/bin/tsc");
    const { stdout } = await execute(process.execPath, [tsc, "-p", project]).catch(
      (error: unknown) => error as { stdout: string },
    );
    expect(stdout).toBe("");
  },
  120_000,
);

test("the installed package runs and finds all its imports", async () => {
  const code = `
    const { createClient, PawlProblem } = await import("pawl/client");
    const { PawlProvider, useTasks } = await import("pawl/react");
    const client = createClient({ url: "http://127.0.0.1:9", retries: 0 });
    const problem = await client.getMe().catch((error) => error);
    console.log(problem instanceof PawlProblem, problem.code, typeof PawlProvider, typeof useTasks);`;
  const args = ["--input-type=module", "-e", code];
  const { stdout } = await execute(process.execPath, args, { cwd: project });
  expect(stdout).toBe("true UNAVAILABLE function function\n");
});

test("the package has no source map without its sources", async () => {
  const files = await readdir(join(project, "node_modules/pawl/dist"), {
    recursive: true,
    withFileTypes: true,
  });
  const withoutSources: string[] = [];
  for (const { name, parentPath } of files) {
    const file = join(parentPath, name);
    if (/\.m?js$|\.css$/.test(name)) {
      const [, map] =
        /[#@] sourceMappingURL=(\S+\.map)\s*(\*\/\s*)?$/.exec(await readFile(file, "utf8")) ?? [];
      if (map !== undefined && !existsSync(join(parentPath, map))) withoutSources.push(file);
    } else if (name.endsWith(".map")) {
      const { sources, sourcesContent = [] } = JSON.parse(await readFile(file, "utf8")) as SourceMap;
      if (sourcesContent.length < sources.length) withoutSources.push(file);
    }
  }
  expect(files.some(({ name }) => name === "bin.js")).toBe(true);
  expect(withoutSources).toEqual([]);
});

type SourceMap = { sources: string[]; sourcesContent?: string[] };

test("publint reports nothing about the package", async () => {
  const { messages, pkg } = await publint({ pkgDir: packed, strict: true, pack: false });
  expect(messages.map((message) => formatMessage(message, pkg))).toEqual([]);
});
