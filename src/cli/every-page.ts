/** All the rows of a list, page after page. */
export async function everyPage<Row>(
  ask: (cursor: string | undefined) => Promise<{ rows: readonly Row[]; cursor: string | null }>,
): Promise<Row[]> {
  const all: Row[] = [];
  let cursor: string | undefined;
  for (;;) {
    const page = await ask(cursor);
    all.push(...page.rows);
    if (page.cursor === null) return all;
    cursor = page.cursor;
  }
}
