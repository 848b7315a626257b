import { useWords } from "../texts/words.tsx";

/** Whatever a lifecycle keeps or was given, as plain text: a value is never taken for markup. */
export function DataValue({ value }: { value: unknown }) {
  const { t } = useWords();
  if (value === null || value === undefined) return <span className="faint">{t.common.none}</span>;
  if (typeof value === "boolean") return value ? t.common.yes : t.common.no;
  if (typeof value === "string") return <span className="written">{value}</span>;
  if (typeof value === "number") return <span className="num">{value}</span>;
  if (Array.isArray(value) && value.every((item) => typeof item === "string" || typeof item === "number"))
    return <span className="written">{value.join(", ")}</span>;
  return <pre className="json">{JSON.stringify(value, null, 2)}</pre>;
}
