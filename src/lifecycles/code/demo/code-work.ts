/** A demo task without its texts. `after` names the tasks that must be merged first. */
type Outline<Slug extends string> = {
  /** Names the task's branch, also if its title is not in Latin letters. */
  slug: Slug;
  priority: number;
  after: readonly string[];
  /** The agent's output, line by line; in English, like that of most programs. */
  log: readonly string[];
};

function part<Slug extends string>(
  slug: Slug,
  log: readonly string[],
  { priority = 0, after = [] }: { priority?: number; after?: readonly string[] } = {},
): Outline<Slug> {
  return { slug, priority, after, log };
}

const DIMMER = [
  part(
    "dimmer-table",
    ["reading db/migrations", "writing 0042-dimmers.sql", "npm test -- schema", "12 passed"],
    { priority: 3 },
  ),
  part(
    "pair-dimmer-api",
    ["reading routes/accounts.ts", "adding routes/dimmers.ts", "npm test -- dimmers", "9 passed"],
    { priority: 2, after: ["dimmer-table"] },
  ),
  part(
    "pair-dimmer-screen",
    ["reading screens/onboarding", "adding screens/pair", "npm test -- pair", "updating 3 snapshots"],
    { after: ["pair-dimmer-api"] },
  ),
  part(
    "notify-dimmer-update",
    ["reading jobs/notify.ts", "one row per serial and version", "npm test -- notify", "6 passed"],
    { after: ["dimmer-table"] },
  ),
];

const INVOICES = [
  part(
    "invoice-numbers",
    [
      "reading billing/number.ts",
      "a row lock in place of the sequence",
      "npm test -- billing",
      "1000 of 1000",
    ],
    { priority: 4 },
  ),
  part("vat-by-country", ["adding rates.csv", "npm test -- vat", "31 passed"], { priority: 2 }),
  part("invoice-pdf", ["trying two libraries", "embedding factur-x.xml", "validator: 0 errors, 0 warnings"], {
    after: ["invoice-numbers", "vat-by-country"],
  }),
  part("send-invoice-once", ["adding jobs/send-invoice.ts", "npm test -- mail", "8 passed"], {
    after: ["invoice-pdf"],
  }),
];

const SEARCH = [
  part(
    "search-by-room",
    ["reading search/index.ts", "adding synonyms.json", "npm test -- search", "20 of 20 queries"],
    { priority: 1 },
  ),
  part("suggest-lamps", ["prefix tree over 1,204 names", "npm run bench:suggest", "p95 18 ms"], {
    after: ["search-by-room"],
  }),
  part("recent-searches", ["adding storage/recent.ts", "npm test -- recent", "4 passed"], {
    after: ["suggest-lamps"],
  }),
];

const MAINTENANCE = [
  part("replace-date-library", [
    "14 imports of the old one",
    "rewriting format-date.ts",
    "npm test",
    "bundle: -68 kB",
  ]),
  part(
    "fix-flaky-cart-test",
    [
      "running it 500 times",
      "fails when two prices arrive in one frame",
      "waiting for the total, not for time",
    ],
    { priority: 1 },
  ),
  part("report-unused-texts", ["reading texts/*.json", "adding scripts/unused-texts.ts", "11 unused keys"]),
];

const OUTLINES = [DIMMER, INVOICES, SEARCH, MAINTENANCE];

type CodeSlug = (typeof OUTLINES)[number][number]["slug"];
type CodeTexts = { title: string; description: string; acceptance: string };

/** All texts and names of the demo in one language. */
export type CodeContent = {
  names: Readonly<Record<"ada" | "forge-1" | "forge-2" | "forge-3", string>>;
  works: Readonly<Record<CodeSlug, CodeTexts>>;
  /** Reasons for which a worker stops. */
  obstacles: readonly [string, ...string[]];
  /** Comment of a person who has removed an obstacle. */
  cleared: string;
  /** The changes that a reviewer asks for. */
  changes: readonly [string, ...string[]];
  /** Comments of a reviewer who approves. */
  approvals: readonly [string, ...string[]];
};

/** A feature: its tasks are created together and depend on each other. */
export type Feature = readonly (Outline<string> & CodeTexts)[];

/** Combines the tasks with their texts. */
export function featuresIn({ works }: CodeContent): Feature[] {
  return OUTLINES.map((outlines) => outlines.map((outline) => ({ ...outline, ...works[outline.slug] })));
}

/** Output of programs. */
export const TEST_FAILURES = [
  "npm test: 2 failed (cart.spec.ts: expected 3 items, got 2)",
  "tsc: src/dimmers.ts(41,7): Type 'undefined' is not assignable to type 'string'",
  "rebase onto main: conflict in routes/index.ts",
] as const;
