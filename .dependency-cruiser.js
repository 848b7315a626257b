// The import law: a room may import only what its line allows (ARCHITECTURE.md, "The rooms").
// To change the law, change this table and the one in ARCHITECTURE.md together.
const LAW = {
  core: [],
  contract: ["core"],
  engine: ["core"],
  http: ["core", "contract", "engine"],
  client: ["contract"],
  worker: ["client", "contract"],
  lifecycles: ["core", "contract", "engine", "http", "worker", "client"],
  mcp: ["client", "contract", "core"],
  cli: ["client", "contract", "core"],
  console: ["client", "contract"],
  demo: ["client", "contract", "core"],
};

const rooms = Object.entries(LAW).map(([room, allowed]) => ({
  name: `${room}-imports-only-what-it-may`,
  comment: `src/${room}/ may import ${allowed.length ? allowed.join(", ") : "no other room"}.`,
  severity: "error",
  from: { path: `^src/${room}/`, pathNot: "\\.test\\.ts$" },
  to: {
    path: "^src/",
    pathNot: [
      `^src/(${[room, ...allowed].join("|")})/`,
      // The commands of a lifecycle are made of the command line's parts.
      ...(room === "lifecycles" ? ["^src/cli/kit\\.ts$"] : []),
      ...(room === "console" || room === "demo" ? ["^src/lifecycles/[^/]+/contract\\.ts$"] : []),
    ],
  },
}));

export default {
  forbidden: [
    ...rooms,
    {
      name: "lifecycles-never-import-each-other",
      severity: "error",
      from: { path: "^src/lifecycles/([^/]+)/" },
      to: { path: "^src/lifecycles/", pathNot: "^src/lifecycles/$1/" },
    },
    {
      name: "core-and-contract-are-pure",
      comment: "No I/O, no clock, no packages but zod.",
      severity: "error",
      from: { path: "^src/(core|contract)/", pathNot: "\\.test\\.ts$" },
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
