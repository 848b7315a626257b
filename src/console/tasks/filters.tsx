import { useEffect, useRef, useState } from "react";
import { useQuery } from "@tanstack/react-query";
import { queries, useMe } from "../data/queries.ts";
import type { ListQuery } from "../data/list-query.ts";
import { Button } from "../design/button.tsx";
import { Icon } from "../design/icon.tsx";
import { useSearch } from "../router.tsx";
import { useI18n } from "../texts/i18n.tsx";
import { ProjectSelect } from "./project-select.tsx";
import { ViewMenu } from "./view-menu.tsx";
import "./filters.css";

const NAMES = ["project", "owner", "q", "label", "attention"] as const;
const DEBOUNCE_MS = 250;

/** The filters in the address, as parameters of a list query. */
export function useFilters(): Pick<ListQuery, "project_id" | "assigned_to" | "q" | "label" | "attention"> & {
  any: boolean;
} {
  const me = useMe();
  const [search] = useSearch();
  const [project, owner, q, label, attention] = NAMES.map((name) => search.get(name));
  return {
    ...(project ? { project_id: project } : {}),
    ...(owner ? { assigned_to: owner === "me" ? me.id : owner } : {}),
    ...(q ? { q } : {}),
    ...(label ? { label: [label] } : {}),
    ...(attention ? { attention: true } : {}),
    any: Boolean(project ?? owner ?? q ?? label ?? attention),
  };
}

/** Filters of a board or table. */
export function Filters({ anyOwner }: { anyOwner?: string }) {
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
      <ViewMenu />
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
        <option value="">{anyOwner ?? t.filters.anyOwner}</option>
        <option value="me">{t.filters.mine}</option>
        {members
          .filter(({ id }) => id !== me.id)
          .map(({ id, name }) => (
            <option key={id} value={id}>
              {name}
            </option>
          ))}
      </select>
      <FilterTags />
      {any && (
        <Button
          small
          look="quiet"
          icon="close"
          onClick={() => {
            setText("");
            change(Object.fromEntries(NAMES.map((name) => [name, null])));
          }}
        >
          {t.filters.reset}
        </Button>
      )}
    </div>
  );
}

/** Filters without an input of their own; a click removes one. */
function FilterTags() {
  const { t } = useI18n();
  const [search, change] = useSearch();
  const tag = (name: "label" | "attention", text: string, title: string) => (
    <button
      type="button"
      className="tag label-tag"
      title={title}
      onClick={() => {
        change({ [name]: null });
      }}
    >
      {text} <Icon name="close" />
    </button>
  );
  const label = search.get("label");
  return (
    <>
      {label && tag("label", label, t.filters.removeLabel)}
      {search.get("attention") && tag("attention", t.board.attention, t.filters.reset)}
    </>
  );
}

/** Text input state; calls back after a pause in typing. */
function useDebouncedInput(
  stored: string,
  onChange: (text: string) => void,
): [string, (text: string) => void] {
  const [text, setText] = useState(stored);
  const sent = useRef(stored);
  // A link, such as a saved view, changes the address of the same page.
  useEffect(() => {
    if (stored !== sent.current) setText(stored);
    sent.current = stored;
  }, [stored]);
  useEffect(() => {
    if (text === stored) return;
    const timer = setTimeout(() => {
      sent.current = text;
      onChange(text);
    }, DEBOUNCE_MS);
    return () => {
      clearTimeout(timer);
    };
  }, [text, stored]);
  return [text, setText];
}
