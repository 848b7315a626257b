// Words and phrases that make a reader read twice, each with a plainer way to put it. Used by the lint rule, by the check of
// Markdown files and by the hook for commit subjects.

const PERSON = "name the caller, reader, worker, member or admin, or write `it`";

/** Something to be written in another way. */
export type Fault = { found: string; instead: string };

/** Matched in comments, names of tests, texts for users and documents. */
const PHRASES: readonly { pattern: RegExp; instead: string }[] = [
  { pattern: /\b(?:he|his|him|himself|she|hers|herself)\b/i, instead: PERSON },
  { pattern: /\b(?:whoever|whomever|whosoever|nobody's)\b/i, instead: PERSON },
  { pattern: /\bnobody\b/i, instead: "`no caller`, `no worker`, or say what happens instead" },
  { pattern: /\b(?:tells?|telling|told)\b/i, instead: "report, return, send, notify, show or describe" },
  { pattern: /\b(?:hears?|heard)\b/i, instead: "receive" },
  { pattern: /\b(?:says?|said)\b/i, instead: "state, report, return or declare" },
  { pattern: /\b(?:lies|lying)\b/i, instead: "is, or is stored" },
  { pattern: /\bstands?\b(?! (?:in for|alone))/i, instead: "is, contains or applies" },
  { pattern: /\bmend(?:s|ed|ing)?\b/i, instead: "fix" },
  {
    pattern: /(?<!\bthere )\b(?:is|are|was|were) no (?!longer|more)/i,
    instead: "`is not a …`, or name what is wrong",
  },
  { pattern: /\bso (?:many|much)\b/i, instead: "name the number, or the setting that holds it" },
  { pattern: /\bunless (?:told|said)\b/i, instead: "`default …`" },
  { pattern: /\bfrom \d+ on\b/i, instead: "`positive integer`, or `at least …`" },
  { pattern: /\bwritten down\b/i, instead: "logged, or recorded" },
  { pattern: /\b(?:end|ends|go|goes|went) well\b/i, instead: "succeed" },
  { pattern: /\b(?:puts?|putting) away\b/i, instead: "archive, or remove" },
];

const OPENING = /^(?:Who|Whoever|Whose|What|That|Of)\b/;
const OPENING_INSTEAD = "start with the thing or with a verb";

/** The faults of a prose text: what was found, and what to write instead. */
export function findFaults(text: string): Fault[] {
  const faults: Fault[] = [];
  for (const sentence of sentencesOf(text)) {
    const [opening] = OPENING.exec(sentence) ?? [];
    if (opening !== undefined && !sentence.endsWith("?"))
      faults.push({ found: `${opening} …`, instead: OPENING_INSTEAD });
  }
  const prose = withoutQuotes(text);
  for (const { pattern, instead } of PHRASES) {
    const [found] = pattern.exec(prose) ?? [];
    if (found !== undefined) faults.push({ found: found.trim(), instead });
  }
  return faults;
}

function sentencesOf(text: string): string[] {
  return text
    .replace(/\s+/g, " ")
    .split(/(?<=[.!?])\s+/)
    .map((sentence) => sentence.replace(/^[\s"'(`*_-]+/, "").trim());
}

/** Code and quotations are not the author's words. */
function withoutQuotes(text: string): string {
  return text.replace(/`[^`]*`/g, "…").replace(/"[^"\n]*"/g, "…");
}

/** Parts of names that newcomers cannot look up, with the term of the field. */
const NAME_PARTS: Readonly<Record<string, string>> = {
  most: "max",
  longest: "max",
  workshop: "registry",
  ledger: "unit of work",
  desk: "service, or server",
  house: "deps",
  guardian: "authenticator",
  herald: "notifier",
  turnstile: "semaphore",
  keeper: "holder",
  beget: "start",
  deed: "action",
  bones: "skeleton",
  setback: "failure",
  told: "name the thing: reply, report, event …",
  heard: "received",
};

/** The faults of a declared name, such as `MOST_PER_PAGE`. */
export function findNameFaults(name: string): Fault[] {
  const parts = name
    .replace(/([a-z\d])([A-Z])/g, "$1_$2")
    .toLowerCase()
    .split("_");
  const faults: Fault[] = [];
  for (const part of parts) {
    const instead = Object.hasOwn(NAME_PARTS, part) ? NAME_PARTS[part] : undefined;
    if (instead !== undefined) faults.push({ found: part, instead });
  }
  if (/_EVERY_(?:MS|SECONDS)$/.test(name)) faults.push({ found: "EVERY", instead: "INTERVAL" });
  return faults;
}

const MAX_SUBJECT_LENGTH = 72;

/** The faults of a commit's subject: `area: imperative change`. */
export function findSubjectFaults(subject: string): Fault[] {
  const faults: Fault[] = [];
  if (/^(?:Merge|Revert|fixup!|squash!) /.test(subject)) return faults;
  if (subject.length > MAX_SUBJECT_LENGTH)
    faults.push({ found: `${subject.length} characters`, instead: `at most ${MAX_SUBJECT_LENGTH}` });
  const [, change] = /^[\w .,/-]+: (.+)$/.exec(subject) ?? [];
  if (change === undefined) faults.push({ found: subject, instead: "`area: imperative change`" });
  else faults.push(...findFaults(change.charAt(0).toUpperCase() + change.slice(1)));
  return faults;
}
