/** Reads all rows of a paginated list. */
export async function fetchAllPages<Row>(
  fetchPage: (cursor: string | undefined) => Promise<{ rows: readonly Row[]; cursor: string | null }>,
): Promise<Row[]> {
  const all: Row[] = [];
  let cursor: string | undefined;
  for (;;) {
    const page = await fetchPage(cursor);
    all.push(...page.rows);
    if (page.cursor === null) return all;
    cursor = page.cursor;
  }
}
