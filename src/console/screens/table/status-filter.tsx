import type { Lifecycle } from "../../data/client.ts";
import { useStatusLabel } from "../../design/status.tsx";
import { useSearch } from "../../router.tsx";
import { useI18n } from "../../texts/i18n.tsx";

/** The statuses in the address; null for all. */
export function useStatuses(): string[] | null {
  const [search] = useSearch();
  return search.get("status")?.split(",").filter(Boolean) ?? null;
}

/** Filters by one status. The address may name several; they are one more choice. */
export function StatusFilter({ lifecycle }: { lifecycle: Lifecycle }) {
  const { t } = useI18n();
  const [search, change] = useSearch();
  const label = useStatusLabel(lifecycle.name);
  const value = search.get("status") ?? "";
  const several = useStatuses() ?? [];
  return (
    <select
      className="input small"
      aria-label={t.filters.status}
      value={value}
      onChange={(event) => {
        change({ status: event.target.value });
      }}
    >
      <option value="">{t.filters.anyStatus}</option>
      {several.length > 1 && <option value={value}>{several.map(label).join(", ")}</option>}
      {lifecycle.statuses.map(({ name }) => (
        <option key={name} value={name}>
          {label(name)}
        </option>
      ))}
    </select>
  );
}
