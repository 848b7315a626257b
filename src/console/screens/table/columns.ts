import type { Lifecycle, Schema, Task } from "../../data/client.ts";
import { labelsOf } from "../../data/labels-of.ts";
import type { Sort } from "../../data/list-query.ts";
import { useStoredJson } from "../../data/stored-json.ts";
import { useMemberNames } from "../../data/members.tsx";
import { useI18n, useNames } from "../../texts/i18n.tsx";
import { useTexts } from "../../texts/use-texts.ts";
import { useUi } from "../../plugins/lifecycle-ui.ts";
import { labelOf } from "../../texts/names.ts";
import { tableTexts } from "./table-texts.ts";

export type Column = {
  id: string;
  title: string;
  /** Width in pixels, unless the member chose another. */
  width: number;
  sort?: Sort;
  /** Value in a CSV file. */
  text: (task: Task) => string;
};

/** Columns of a field of the lifecycle's own have this prefix. */
export const DATA_PREFIX = "data.";
export const MIN_WIDTH_PX = 60;
export const MAX_WIDTH_PX = 900;

/** The lifecycle is a column only of tables of all lifecycles. */
const DEFAULTS = [
  "title",
  "lifecycle",
  "status",
  "owner",
  "priority",
  "entered",
  "due",
  "updated",
  "created",
];

/** All columns of a table; those of a lifecycle's fields follow the common ones. Without a lifecycle, its name is a column. */
export function useColumns(lifecycle: Lifecycle | null): Column[] {
  const { t } = useI18n();
  const own = useTexts(tableTexts);
  const namesOf = useNames();
  const nameOf = useMemberNames();
  const uiOf = useUi();
  const { language } = useI18n();
  const statusOf = ({ lifecycle: name, status }: Task) =>
    uiOf(name).texts[language]?.statuses?.[status] ?? labelOf(status);
  const personOf = (id: string | null | undefined) => (id == null ? "" : nameOf(id));
  const common: Column[] = [
    { id: "title", title: t.table.title, width: 300, text: ({ title }) => title },
    ...(lifecycle
      ? []
      : [{ id: "lifecycle", title: own.lifecycle, width: 110, text: (task: Task) => task.lifecycle }]),
    { id: "status", title: t.table.status, width: 128, text: statusOf },
    {
      id: "owner",
      title: t.table.owner,
      width: 140,
      text: ({ assigned_to, lease }) => personOf(assigned_to ?? lease?.holder),
    },
    {
      id: "priority",
      title: t.table.priority,
      width: 78,
      sort: "priority",
      text: ({ priority }) => String(priority),
    },
    {
      id: "entered",
      title: t.table.inStatus,
      width: 88,
      sort: "entered",
      text: ({ entered_at }) => entered_at,
    },
    { id: "due", title: t.table.due, width: 136, sort: "due", text: ({ due_at }) => due_at ?? "" },
    {
      id: "updated",
      title: t.table.updated,
      width: 100,
      sort: "updated",
      text: ({ updated_at }) => updated_at,
    },
    {
      id: "created",
      title: t.table.created,
      width: 100,
      sort: "created",
      text: ({ created_at }) => created_at,
    },
    { id: "project", title: own.project, width: 120, text: ({ project_id }) => project_id },
    { id: "creator", title: own.creator, width: 140, text: ({ created_by }) => personOf(created_by) },
    { id: "labels", title: own.labels, width: 150, text: (task) => labelsOf(task).join(", ") },
    { id: "attempt", title: own.attempt, width: 84, text: ({ attempt }) => String(attempt) },
    { id: "id", title: own.id, width: 310, text: ({ id }) => id },
  ];
  if (!lifecycle) return common;
  const names = namesOf(lifecycle.name);
  return [
    ...common,
    ...dataFields(lifecycle).map((name) => ({
      id: DATA_PREFIX + name,
      title: names.field(name),
      width: 150,
      text: ({ data }: Task) => textOf(data[name]),
    })),
  ];
}

/** Fields with one value or a list of texts; others do not fit in a cell. */
function dataFields({ data }: Lifecycle): string[] {
  const properties = (data?.properties ?? {}) as Record<string, Schema>;
  return Object.entries(properties)
    .filter(([name, { type }]) => name !== "labels" && type !== "object" && type !== "array")
    .map(([name]) => name);
}

function textOf(value: unknown): string {
  if (value === null || value === undefined) return "";
  return typeof value === "string" ? value : JSON.stringify(value);
}

/** The member's choice for one table: shown columns and changed widths. */
type Choice = { shown: string[] | null; widths: Record<string, number> };

const NO_CHOICE: Choice = { shown: null, widths: {} };

export type ShownColumns = {
  columns: Column[];
  isShown: (id: string) => boolean;
  toggle: (id: string) => void;
  resize: (id: string, width: number | null) => void;
  widthOf: (column: Column) => number;
  /** Whether the member has given the column a width. */
  isResized: (id: string) => boolean;
  reset: () => void;
};

/** The columns that the member chose for a table; the title is always first. */
export function useShownColumns(table: string, all: readonly Column[]): ShownColumns {
  const [choice, change] = useStoredJson<Choice>(`columns.${table}`, {
    isValid: isChoice,
    otherwise: NO_CHOICE,
  });
  const shown = new Set(["title", ...(choice.shown ?? DEFAULTS)]);
  const isShown = (id: string) => shown.has(id);
  const ownWidth = (id: string) => (Object.hasOwn(choice.widths, id) ? choice.widths[id] : undefined);
  return {
    columns: all.filter(({ id }) => isShown(id)),
    isShown,
    toggle: (id) => {
      change({ ...choice, shown: all.map((one) => one.id).filter((one) => (one === id) !== isShown(one)) });
    },
    resize: (id, width) => {
      const { [id]: _, ...others } = choice.widths;
      const clamped =
        width === null ? {} : { [id]: Math.round(Math.min(MAX_WIDTH_PX, Math.max(MIN_WIDTH_PX, width))) };
      change({ ...choice, widths: { ...others, ...clamped } });
    },
    widthOf: ({ id, width }) => ownWidth(id) ?? width,
    isResized: (id) => ownWidth(id) !== undefined,
    reset: () => {
      change(NO_CHOICE);
    },
  };
}

function isChoice(value: unknown): value is Choice {
  if (typeof value !== "object" || value === null || !("shown" in value) || !("widths" in value))
    return false;
  const { shown, widths } = value;
  const isList = shown === null || (Array.isArray(shown) && shown.every((one) => typeof one === "string"));
  const areWidths =
    typeof widths === "object" &&
    widths !== null &&
    Object.values(widths).every(
      (one) => typeof one === "number" && one >= MIN_WIDTH_PX && one <= MAX_WIDTH_PX,
    );
  return isList && areWidths;
}
