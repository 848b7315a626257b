/** A demo task. `after` names the tasks that must be merged first. */
type CodeWork = {
  title: string;
  description: string;
  acceptance: string;
  priority: number;
  after: readonly string[];
  /** The agent's output, line by line. */
  log: readonly string[];
};

/** A feature: its tasks are created together and depend on each other. */
export type Feature = readonly CodeWork[];

function part(
  title: string,
  description: string,
  acceptance: string,
  log: readonly string[],
  { priority = 0, after = [] }: { priority?: number; after?: readonly string[] } = {},
): CodeWork {
  return { title, description, acceptance, priority, after, log };
}

const DIMMER: Feature = [
  part(
    "Table for dimmers and their firmware",
    "Every dimmer has a serial, a model and a firmware version.",
    "Migration runs forwards and back; the schema test is green.",
    ["reading db/migrations", "writing 0042-dimmers.sql", "npm test -- schema", "12 passed"],
    { priority: 3 },
  ),
  part(
    "API to pair a dimmer with an account",
    "POST /dimmers/:serial/pair, idempotent; refuses a dimmer of another account.",
    "Tests for pairing twice, for another account's dimmer, for an unknown serial.",
    ["reading routes/accounts.ts", "adding routes/dimmers.ts", "npm test -- dimmers", "9 passed"],
    { priority: 2, after: ["Table for dimmers and their firmware"] },
  ),
  part(
    "Screen: pair a dimmer in three steps",
    "Scan, press, done. Explain what to do when it blinks red.",
    "Works by keyboard; the visual test has three screenshots.",
    ["reading screens/onboarding", "adding screens/pair", "npm test -- pair", "updating 3 snapshots"],
    { after: ["API to pair a dimmer with an account"] },
  ),
  part(
    "Notify users when their dimmer needs an update",
    "Only once per version.",
    "A test with two versions and one restart.",
    ["reading jobs/notify.ts", "one row per serial and version", "npm test -- notify", "6 passed"],
    { after: ["Table for dimmers and their firmware"] },
  ),
];

const SEARCH: Feature = [
  part(
    "Index lamps by room and by mood",
    "Search finds “bedroom” and “warm”, not only names.",
    "All twenty queries in search.spec.ts find the expected lamps.",
    ["reading search/index.ts", "adding synonyms.json", "npm test -- search", "20 of 20 queries"],
    { priority: 1 },
  ),
  part(
    "Suggest lamps while typing",
    "Under 50 ms for the first suggestion, on the test machine.",
    "The bench in bench/suggest stays under its limit.",
    ["prefix tree over 1,204 names", "npm run bench:suggest", "p95 18 ms"],
    { after: ["Index lamps by room and by mood"] },
  ),
  part(
    "Remember the last five searches on the device",
    "No account needed, and a button to clear them.",
    "A test proves that nothing is sent over the network.",
    ["adding storage/recent.ts", "npm test -- recent", "4 passed"],
    { after: ["Suggest lamps while typing"] },
  ),
];

const INVOICES: Feature = [
  part(
    "Invoice numbers without gaps",
    "Assigned in the transaction that writes the invoice.",
    "A thousand invoices on twenty connections: no gaps, no duplicates.",
    [
      "reading billing/number.ts",
      "a row lock in place of the sequence",
      "npm test -- billing",
      "1000 of 1000",
    ],
    { priority: 4 },
  ),
  part(
    "VAT by country and day",
    "Each rate has the date from which it applies.",
    "Last year's invoices keep last year's rate.",
    ["adding rates.csv", "npm test -- vat", "31 passed"],
    { priority: 2 },
  ),
  part(
    "Invoices as PDF/A with the data inside",
    "So that accounting software can read them.",
    "The validator reports no errors.",
    ["trying two libraries", "embedding factur-x.xml", "validator: 0 errors, 0 warnings"],
    { after: ["Invoice numbers without gaps", "VAT by country and day"] },
  ),
  part(
    "Send each invoice once, even if the mail server fails",
    "A queue with an idempotency key for each invoice.",
    "The test stops the mail server halfway.",
    ["adding jobs/send-invoice.ts", "npm test -- mail", "8 passed"],
    { after: ["Invoices as PDF/A with the data inside"] },
  ),
];

const CARE: Feature = [
  part(
    "Replace the date library",
    "It is no longer maintained, and the platform has what we need.",
    "No import is left, and the bundle is smaller.",
    ["14 imports of the old one", "rewriting format-date.ts", "npm test", "bundle: -68 kB"],
  ),
  part(
    "Fix the flaky test of the cart",
    "It fails once in thirty runs.",
    "Five hundred runs without a failure.",
    [
      "running it 500 times",
      "fails when two prices arrive in one frame",
      "waiting for the total, not for time",
    ],
    { priority: 1 },
  ),
  part(
    "Report unused translation keys",
    "A script that runs in `npm run check`.",
    "It finds the eleven unused keys that we know of.",
    ["reading texts/*.json", "adding scripts/unused-texts.ts", "11 unused keys"],
  ),
];

export const FEATURES: readonly [Feature, ...Feature[]] = [DIMMER, INVOICES, SEARCH, CARE];

export const TEST_FAILURES = [
  "npm test: 2 failed (cart.spec.ts: expected 3 items, got 2)",
  "tsc: src/dimmers.ts(41,7): Type 'undefined' is not assignable to type 'string'",
  "rebase onto main: conflict in routes/index.ts",
] as const;

export const OBSTACLES = [
  "The test database lacks pg_trgm; it must be added to the image",
  "The icon set has no dimmer; we need one from design",
] as const;
