import { useContext, createContext } from "react";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { client } from "../data/client.ts";
import type { FieldUi } from "../data/client.ts";
import { keys } from "../data/keys.ts";
import { useMemberNames } from "../data/members.tsx";
import { queries } from "../data/queries.ts";
import { useDebounced } from "../design/use-debounced.ts";
import { readFieldList } from "./field-list.ts";
import type { Choice } from "./field-list.ts";

export type Pick = NonNullable<FieldUi["pick"]> | { choices: readonly Choice[]; open: boolean };

/** The surroundings of a form: the project of the task that it makes or changes, and that task. */
export type FormPlace = { lifecycle?: string; task?: string; project?: string };
export const FormPlaceContext = createContext<FormPlace>({});

const MAX_CHOICES = 50;
const DEBOUNCE_MS = 150;

/** The choices of a picker that match the text, and the label of its value. `isOpen` is true if other values are accepted too. */
export function usePickChoices(pick: Pick, text: string, active: boolean, value: string) {
  const place = useContext(FormPlaceContext);
  const search = useDebounced(text.trim(), DEBOUNCE_MS);
  const nameOf = useMemberNames();
  const [kind, list] = typeof pick === "string" ? [pick, null] : [null, pick];
  const members = useQuery({ ...queries.members(), enabled: kind === "member" });
  const projects = useQuery({ ...queries.projects(), enabled: kind === "project" });
  const own = list !== null && "from" in list ? list : null;
  const wanted = own?.search === undefined ? "" : search;
  const entries = useQuery({
    queryKey: [...keys.all, "field", own, wanted, place.task ?? null, place.project ?? null],
    queryFn: ({ signal }) =>
      own ? readFieldList(own, { text: wanted, task: place.task, project: place.project }, signal) : [],
    enabled: own !== null,
    placeholderData: keepPreviousData,
    // A role that may not read the list still may know a value.
    retry: false,
    staleTime: 10_000,
  });
  const tasks = useQuery({
    queryKey: [...keys.all, "field", "task", place.lifecycle ?? null, place.project ?? null, search],
    queryFn: async ({ signal }) =>
      (
        await client.listTasks(
          {
            ...(search === "" ? {} : { q: search }),
            ...(place.lifecycle === undefined ? {} : { lifecycle: place.lifecycle }),
            ...(place.project === undefined ? {} : { project_id: place.project }),
            sort: "updated",
            order: "desc",
            limit: MAX_CHOICES,
          },
          { signal },
        )
      ).tasks,
    enabled: kind === "task" && active,
    placeholderData: keepPreviousData,
  });
  const title = useQuery({ ...queries.title(value), enabled: kind === "task" && value !== "" });
  const all: readonly Choice[] =
    kind === "member"
      ? (members.data ?? [])
          .filter(({ active: isActive }) => isActive)
          .map(({ id, name, roles }) => ({ value: id, label: name, note: roles.join(", ") }))
      : kind === "project"
        ? (projects.data ?? []).map(({ id, name }) => ({ value: id, label: name }))
        : kind === "task"
          ? (tasks.data ?? [])
              .filter(({ id }) => id !== place.task)
              .map(({ id, title: label, status }) => ({ value: id, label, note: status }))
          : list !== null && "choices" in list
            ? list.choices
            : (entries.data ?? []);
  const isSearched = kind === "task" || own?.search !== undefined;
  const labelOf = (one: string) =>
    all.find((choice) => choice.value === one)?.label ??
    (kind === "member" ? nameOf(one) : kind === "task" && one === value ? (title.data ?? one) : one);
  return {
    /** All that are loaded. */
    all,
    choices: (isSearched ? all : all.filter((choice) => matches(choice, text))).slice(0, MAX_CHOICES),
    labelOf,
    isOpen: own ? (own.open ?? false) || entries.isError : list !== null && "choices" in list && list.open,
    isPending: own ? entries.isFetching : kind === "task" && tasks.isFetching,
  };
}

/** The choice that a text names exactly. */
export function choiceNamed(choices: readonly Choice[], text: string): Choice | undefined {
  const name = text.trim().toLowerCase();
  return (
    choices.find(({ value }) => value.toLowerCase() === name) ??
    choices.find(({ label }) => label.toLowerCase() === name)
  );
}

function matches({ value, label, note = "" }: Choice, text: string): boolean {
  const searched = `${label} ${value} ${note}`.toLowerCase();
  return text
    .toLowerCase()
    .split(/\s+/)
    .every((word) => searched.includes(word));
}
