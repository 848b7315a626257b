import type { CodeContent } from "./code-work.ts";

export const CODE_EN: CodeContent = {
  names: { ada: "Ada Okafor", "forge-1": "Forge 1", "forge-2": "Forge 2", "forge-3": "Forge 3" },
  works: {
    "dimmer-table": {
      title: "Table for dimmers and their firmware",
      description: "Every dimmer has a serial, a model and a firmware version.",
      acceptance: "Migration runs forwards and back; the schema test is green.",
    },
    "pair-dimmer-api": {
      title: "API to pair a dimmer with an account",
      description: "POST /dimmers/:serial/pair, idempotent; refuses a dimmer of another account.",
      acceptance: "Tests for pairing twice, for another account's dimmer, for an unknown serial.",
    },
    "pair-dimmer-screen": {
      title: "Screen: pair a dimmer in three steps",
      description: "Scan, press, done. Explain what to do when it blinks red.",
      acceptance: "Works by keyboard; the visual test has three screenshots.",
    },
    "notify-dimmer-update": {
      title: "Notify users when their dimmer needs an update",
      description: "Only once per version.",
      acceptance: "A test with two versions and one restart.",
    },
    "invoice-numbers": {
      title: "Invoice numbers without gaps",
      description: "Assigned in the transaction that writes the invoice.",
      acceptance: "A thousand invoices on twenty connections: no gaps, no duplicates.",
    },
    "vat-by-country": {
      title: "VAT by country and day",
      description: "Each rate has the date from which it applies.",
      acceptance: "Last year's invoices keep last year's rate.",
    },
    "invoice-pdf": {
      title: "Invoices as PDF/A with the data inside",
      description: "So that accounting software can read them.",
      acceptance: "The validator reports no errors.",
    },
    "send-invoice-once": {
      title: "Send each invoice once, even if the mail server fails",
      description: "A queue with an idempotency key for each invoice.",
      acceptance: "The test stops the mail server halfway.",
    },
    "search-by-room": {
      title: "Index lamps by room and by mood",
      description: "Search finds “bedroom” and “warm”, not only names.",
      acceptance: "All twenty queries in search.spec.ts find the expected lamps.",
    },
    "suggest-lamps": {
      title: "Suggest lamps while typing",
      description: "Under 50 ms for the first suggestion, on the test machine.",
      acceptance: "The bench in bench/suggest stays under its limit.",
    },
    "recent-searches": {
      title: "Remember the last five searches on the device",
      description: "No account needed, and a button to clear them.",
      acceptance: "A test proves that nothing is sent over the network.",
    },
    "replace-date-library": {
      title: "Replace the date library",
      description: "It is no longer maintained, and the platform has what we need.",
      acceptance: "No import is left, and the bundle is smaller.",
    },
    "fix-flaky-cart-test": {
      title: "Fix the flaky test of the cart",
      description: "It fails once in thirty runs.",
      acceptance: "Five hundred runs without a failure.",
    },
    "report-unused-texts": {
      title: "Report unused translation keys",
      description: "A script that runs in `npm run check`.",
      acceptance: "It finds the eleven unused keys that we know of.",
    },
  },
  obstacles: [
    "The test database lacks pg_trgm; it must be added to the image",
    "The icon set has no dimmer; we need one from design",
  ],
  cleared: "Fixed.",
  changes: ["Please add a test for empty input.", "The name says too little: what does it return?"],
  approvals: ["Reads well.", "Good: small, and tested."],
};
