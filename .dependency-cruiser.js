// The import law: a folder may import only what its line allows (ARCHITECTURE.md, "Folders").
// To change the law, change this table and the one in ARCHITECTURE.md together. Every folder may import src/std/.
const LAW = {
  std: [],
  core: [],
  api: ["core"],
  postgres: ["core"],
  engine: ["core", "postgres"],
  server: ["core", "api", "engine"],
  client: ["api"],
  react: ["client", "api"],
  worker: ["client", "api"],
  mcp: ["client", "api", "core"],
  cli: ["client", "api", "core"],
  demo: ["client", "api", "core"],
  console: ["client", "react", "api"],
  adapters: ["core", "engine"],
  plugin: ["core", "api", "engine", "server", "cli", "demo"],
  lifecycles: ["core", "api", "client", "react", "worker", "plugin", "console"],
};

/** Folders whose files others import only through `index.ts`. */
const BEHIND_INDEX = [
  "api",
  "core",
  "engine",
  "postgres",
  "server",
  "cli",
  "demo",
  "plugin",
  "worker",
  "react",
];

const folders = Object.entries(LAW).map(([folder, allowed]) => ({
  name: `${folder}-imports-only-what-it-may`,
  comment: `src/${folder}/ may import ${allowed.length ? allowed.join(", ") : "no other folder"}.`,
  severity: "error",
  from: { path: `^src/${folder}/`, pathNot: "\\.test\\.ts$" },
  to: { path: "^src/", pathNot: `^src/(${[folder, "std", ...allowed].join("|")})/` },
}));

export default {
  forbidden: [
    ...folders,
    {
      name: "other-folders-import-the-index",
      severity: "error",
      from: { path: "^src/([^/]+)/", pathNot: "\\.test\\.ts$" },
      to: {
        path: `^src/(${BEHIND_INDEX.join("|")})/`,
        // The client imports one file of the api, so that a browser loads no schemas.
        pathNot: ["^src/$1/", "^src/[^/]+/index\\.ts$", "^src/api/route\\.ts$"],
      },
    },
    {
      name: "lifecycles-never-import-each-other",
      severity: "error",
      from: { path: "^src/lifecycles/([^/]+)/" },
      to: { path: "^src/lifecycles/", pathNot: "^src/lifecycles/$1/" },
    },
    {
      name: "only-screens-import-the-console",
      severity: "error",
      from: { path: "^src/lifecycles/", pathNot: "^src/lifecycles/[^/]+/ui/" },
      to: { path: "^src/console/" },
    },
    {
      name: "core-and-api-are-pure",
      comment: "No I/O, no clock, no packages but zod.",
      severity: "error",
      from: { path: "^src/(core|api)/", pathNot: "\\.test\\.ts$" },
      to: {
        dependencyTypes: ["core", "npm", "npm-dev", "npm-optional", "npm-peer"],
        pathNot: "node_modules/zod/",
      },
    },
    {
      name: "source-does-not-import-tests",
      severity: "error",
      from: { path: "^src/", pathNot: "\\.test\\.ts$" },
      to: { path: "(\\.test\\.ts$|^test/|^bench/|^examples/|^scripts/)" },
    },
    {
      name: "no-cycles",
      severity: "error",
      from: {},
      to: { circular: true },
    },
    { name: "no-orphans-in-resolution", severity: "error", from: {}, to: { couldNotResolve: true } },
  ],
  options: {
    doNotFollow: { path: "node_modules" },
    tsConfig: { fileName: "tsconfig.json" },
    tsPreCompilationDeps: true,
    enhancedResolveOptions: { exportsFields: ["exports"], conditionNames: ["import", "types", "default"] },
  },
};
