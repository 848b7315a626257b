import { useEffect, useState } from "react";
import { useQuery } from "@tanstack/react-query";
import { queries, useMe } from "../data/queries.ts";
import type { ListQuery } from "../data/list-query.ts";
import { Button } from "../design/button.tsx";
import { Icon } from "../design/icon.tsx";
import { useSearch } from "../router.tsx";
import { useI18n } from "../texts/i18n.tsx";
import { ProjectSelect } from "./project-select.tsx";
import "./filters.css";

const NAMES = ["project", "owner", "q", "label"] as const;
const DEBOUNCE_MS = 250;

/** The filters in the address, as parameters of a list query. */
export function useFilters(): Pick<ListQuery, "project_id" | "assigned_to" | "q" | "label"> & {
  any: boolean;
} {
  const me = useMe();
  const [search] = useSearch();
  const [project, owner, q, label] = NAMES.map((name) => search.get(name));
  return {
    ...(project ? { project_id: project } : {}),
    ...(owner ? { assigned_to: owner === "me" ? me.id : owner } : {}),
    ...(q ? { q } : {}),
    ...(label ? { label: [label] } : {}),
    any: Boolean(project ?? owner ?? q ?? label),
  };
}

/** Filters of a board or table. */
export function Filters() {
  const { t } = useI18n();
  const me = useMe();
  const [search, change] = useSearch();
  const { data: members = [] } = useQuery(queries.members());
  const [text, setText] = useDebouncedInput(search.get("q") ?? "", (q) => {
    change({ q });
  });
  const owner = search.get("owner") ?? "";
  const any = NAMES.some((name) => search.get(name));
  return (
    <div className="filters" role="search">
      <input
        className="input small"
        type="search"
        aria-label={t.filters.search}
        placeholder={t.filters.search}
        value={text}
        onChange={(event) => {
          setText(event.target.value);
        }}
      />
      <ProjectSelect
        className="input small"
        any
        value={search.get("project") ?? ""}
        onChange={(project) => {
          change({ project });
        }}
      />
      <select
        className="input small"
        aria-label={t.filters.owner}
        value={owner}
        onChange={(event) => {
          change({ owner: event.target.value });
        }}
      >
        <option value="">{t.filters.anyOwner}</option>
        <option value="me">{t.filters.mine}</option>
        {members
          .filter(({ id }) => id !== me.id)
          .map(({ id, name }) => (
            <option key={id} value={id}>
              {name}
            </option>
          ))}
      </select>
      {search.get("label") && (
        <button
          type="button"
          className="tag label-tag"
          title={t.filters.removeLabel}
          onClick={() => {
            change({ label: null });
          }}
        >
          {search.get("label")} <Icon name="close" />
        </button>
      )}
      {any && (
        <Button
          small
          look="quiet"
          icon="close"
          onClick={() => {
            setText("");
            change({ project: null, owner: null, q: null, label: null });
          }}
        >
          {t.filters.reset}
        </Button>
      )}
    </div>
  );
}

/** Text input state; calls back after a pause in typing. */
function useDebouncedInput(
  stored: string,
  onChange: (text: string) => void,
): [string, (text: string) => void] {
  const [text, setText] = useState(stored);
  useEffect(() => {
    if (text === stored) return;
    const timer = setTimeout(() => {
      onChange(text);
    }, DEBOUNCE_MS);
    return () => {
      clearTimeout(timer);
    };
  }, [text, stored]);
  return [text, setText];
}
