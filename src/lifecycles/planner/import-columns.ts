/** The columns of an imported table, with their other names. */
export const IMPORT_COLUMNS = {
  ref: ["id", "номер", "код"],
  title: ["name", "название", "задача"],
  description: ["описание"],
  priority: ["приоритет"],
  required_trade: ["trade", "специальность"],
  deliverable: ["serial", "изделие", "серийный_номер"],
  due_at: ["due", "срок"],
  estimate_minutes: ["estimate", "оценка", "оценка_минут"],
  depends_on: ["after", "зависит_от", "после"],
} as const satisfies Record<string, readonly string[]>;

export type ImportColumn = keyof typeof IMPORT_COLUMNS;

export const MAX_IMPORT_ROWS = 500;

const BY_NAME: ReadonlyMap<string, ImportColumn> = new Map(
  Object.entries(IMPORT_COLUMNS).flatMap(([column, others]) =>
    [column, ...others].map((name) => [name, column as ImportColumn] as const),
  ),
);

/** Returns the column that a heading names, in English or Russian, in any case. */
export function columnOf(heading: string): ImportColumn | undefined {
  return BY_NAME.get(
    heading
      .trim()
      .toLowerCase()
      .replaceAll(/[\s-]+/g, "_"),
  );
}
