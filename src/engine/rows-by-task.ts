/** Groups rows by task and returns a lookup. Filtering all rows for each task would take tasks × rows steps. */
export function rowsByTask<Row extends { task_id: string }>(
  rows: readonly Row[],
): (id: string) => readonly Row[] {
  const byTask = new Map<string, Row[]>();
  for (const row of rows) {
    const known = byTask.get(row.task_id);
    if (known) known.push(row);
    else byTask.set(row.task_id, [row]);
  }
  return (id) => byTask.get(id) ?? [];
}
