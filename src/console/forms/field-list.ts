import { client } from "../data/client.ts";
import type { FieldList } from "../data/client.ts";

/** An entry that a picker offers; `fills` are values for other fields. */
export type Choice = {
  value: string;
  label: string;
  note?: string;
  fills?: Readonly<Record<string, string>>;
};

/** The form around a picker: its task, its project, and the text typed so far. */
export type PickContext = { text: string; task: string | undefined; project: string | undefined };

const MAX_PAGES = 10;

type Entry = Readonly<Record<string, unknown>>;
type Read = (sent: object, options: { signal: AbortSignal }) => Promise<Entry>;

/** Reads a plugin's list for a picker: the entries that match the text, if the route can search. */
export async function readFieldList(
  list: FieldList,
  { text, task, project }: PickContext,
  signal: AbortSignal,
): Promise<Choice[]> {
  const needsTask = list.from.includes("{task}");
  if (needsTask && task === undefined) return [];
  const row = { method: "GET", path: list.from } as const;
  // The route is known only at run time, so its types are not.
  const { read } = client.calls({ read: row } as never) as unknown as { read: Read };
  const sent = {
    ...(needsTask ? { task } : {}),
    ...(list.search !== undefined && text !== "" ? { [list.search]: text } : {}),
    ...(list.project !== undefined && project !== undefined ? { [list.project]: project } : {}),
  };
  const found: Entry[] = [];
  let cursor: unknown = null;
  for (let page = 0; page === 0 || (typeof cursor === "string" && page < MAX_PAGES); page++) {
    const reply: Entry = await read({ ...sent, ...(cursor === null ? {} : { cursor }) }, { signal });
    const entries = reply[list.list];
    if (Array.isArray(entries)) found.push(...(entries as Entry[]));
    // A route that searches returns the best entries first.
    cursor = list.search === undefined ? reply.cursor : null;
  }
  const { only = {} } = list;
  return found
    .filter((entry) => Object.entries(only).every(([name, value]) => entry[name] === value))
    .map((entry) => choiceOf(list, entry));
}

function choiceOf({ value, label, fills = {} }: FieldList, entry: Entry): Choice {
  const text = (name: string) => {
    const part = entry[name];
    return typeof part === "string" || typeof part === "number" ? String(part) : "";
  };
  return {
    value: text(value),
    label: label.map(text).filter(Boolean).join(" · ") || text(value),
    fills: Object.fromEntries(Object.entries(fills).map(([field, name]) => [field, text(name)])),
  };
}
