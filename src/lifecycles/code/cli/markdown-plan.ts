import type { ParsedPlan, PlanError, PlannedTask } from "./plan.ts";

type Item = PlannedTask & { indent: number; done: boolean; parent: Item | null; text: string[] };

const ITEM = /^(\s*)(?:[-*+]|\d+[.)])\s+\[([ xX])\]\s*(.*)$/;
const FIELD = /^(after|ref|acceptance|priority)\s*:\s*(.*)$/i;
const INLINE = /^(after|ref)\s*:(.*)$/i;
const TAB_WIDTH = 4;

/**
 * Reads a Markdown check list. A nested item is done before the item above it. Indented lines below an item are its
 * description, or a field: `after: name, name`, `ref: name`, `acceptance: text`, `priority: number`. Checked items are done.
 */
export function parseMarkdownPlan(text: string): ParsedPlan {
  const items: Item[] = [];
  const errors: PlanError[] = [];
  let open: Item[] = [];
  let fence = false;
  for (const [index, row] of text.split(/\r?\n/).entries()) {
    const line = index + 1;
    if (/^\s*(```|~~~)/.test(row)) fence = !fence;
    const [, space = "", mark = "", title = ""] = (fence ? null : ITEM.exec(row)) ?? [];
    if (mark !== "") {
      const indent = widthOfIndent(space);
      open = open.filter((item) => item.indent < indent);
      const item = newItem({ line, indent, done: mark !== " ", parent: open.at(-1) ?? null });
      item.title = readInline(item, title, line);
      if (item.title === "") errors.push({ line, message: "the item has no title" });
      items.push(item);
      open.push(item);
      continue;
    }
    if (row.trim() === "") {
      open.at(-1)?.text.push("");
      continue;
    }
    const [, indent = ""] = /^(\s*)/.exec(row) ?? [];
    const owner = open.findLast((item) => widthOfIndent(indent) > item.indent);
    if (owner === undefined) open = [];
    else if (fence || !readField(owner, row.trim(), line, errors)) owner.text.push(row.trim());
  }
  return planOf(items, errors);
}

function newItem(fields: Pick<Item, "line" | "indent" | "done" | "parent">): Item {
  const { line } = fields;
  const empty = { title: "", description: null, acceptance: null, priority: 0, after: [], text: [] };
  return { ...empty, ...fields, ref: `line ${line}` };
}

function planOf(items: readonly Item[], errors: PlanError[]): ParsedPlan {
  for (const item of items)
    if (item.parent && !item.done) item.parent.after.push({ name: item.ref, line: item.line });
  const openItems = items.filter(({ done }) => !done);
  const finished = items.filter(({ done }) => done);
  return {
    errors,
    done: finished.flatMap(({ ref, title }) => [ref, title]),
    tasks: openItems.map(({ ref, title, acceptance, priority, after, line, text }) => {
      const description = text.join("\n").trim();
      return { ref, title, description: description || null, acceptance, priority, after, line };
    }),
  };
}

/** Reads `(after: …)` and `(ref: …)` at the end of a title; returns the rest. */
function readInline(item: Item, title: string, line: number): string {
  let rest = title.trim();
  while (rest.endsWith(")")) {
    const start = rest.lastIndexOf("(");
    const [, name = "", value = ""] = INLINE.exec(rest.slice(start + 1, -1).trim()) ?? [];
    if (start < 0 || name === "") break;
    if (name.toLowerCase() === "ref") item.ref = value.trim() || item.ref;
    else addReferences(item, value, line);
    rest = rest.slice(0, start).trimEnd();
  }
  return rest;
}

function readField(item: Item, row: string, line: number, errors: PlanError[]): boolean {
  const [, name = "", value = ""] = FIELD.exec(row.replace(/^[-*+]\s+/, "")) ?? [];
  if (name === "") return false;
  const field = name.toLowerCase();
  if (value.trim() === "") errors.push({ line, message: `"${field}:" has no value` });
  else if (field === "after") addReferences(item, value, line);
  else if (field === "ref") item.ref = value.trim();
  else if (field === "acceptance")
    item.acceptance = [item.acceptance, value.trim()].filter(Boolean).join("\n");
  else if (/^-?\d+$/.test(value.trim())) item.priority = Number(value);
  else errors.push({ line, message: `priority must be a whole number, not "${value.trim()}"` });
  return true;
}

function addReferences(item: Item, value: string, line: number): void {
  for (const name of value.split(",")) if (name.trim() !== "") item.after.push({ name: name.trim(), line });
}

function widthOfIndent(space: string): number {
  return space.replaceAll("\t", " ".repeat(TAB_WIDTH)).length;
}
