/**
 * The seal of a journal row, equal to pawl.seal of the migrations but immutable, so that PostgreSQL computes it in place: a call
 * of that function cost 7 µs a row. Each argument is an SQL expression; `comment` is the comment as JSON, or null.
 */
export function sealOf(row: {
  previous: string;
  id: string;
  row_version: string;
  now: string;
  told: string;
  comment: string;
  payload: string;
  patch: string;
}): string {
  const { previous, id, row_version, now, told, comment, payload, patch } = row;
  // A cast of text to bytea reads backslashes as escapes, so they are doubled.
  const text = `${told} || coalesce(${comment}, '-') || coalesce(${payload}, '-') || ${patch}`;
  return `sha256(${previous} || uuid_send(${id}) || int8send(${row_version}) || timestamptz_send(${now})
        || replace(${text}, '\\', '\\\\')::bytea)`;
}

/** What many journal rows share, in the form of PostgreSQL's json_build_array: the seal is made over it. */
export function toldOf(...parts: readonly (string | null)[]): string {
  return `[${parts.map((part) => JSON.stringify(part)).join(", ")}]`;
}
