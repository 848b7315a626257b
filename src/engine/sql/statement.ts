/** A statement with its parameters, ready to be sent. */
export type Write = { readonly text: string; readonly params: readonly unknown[] };

/** A name after a single colon, which is neither a cast (`::text`) nor part of a word. */
const PARAMETER = /(?<![:\w]):([a-z]\w*)/g;

/** Compiles a static SQL text with named parameters (`:org_id`), which are numbered once, when the module is loaded. */
export function statement(named: string): (params: Readonly<Record<string, unknown>>) => Write {
  const names: string[] = [];
  const text = named.replace(PARAMETER, (_, name: string) => {
    const known = names.indexOf(name);
    return `$${known >= 0 ? known + 1 : names.push(name)}`;
  });
  return (params) => ({ text, params: names.map((name) => params[name]) });
}
