import { useQuery } from "@tanstack/react-query";
import { isUuid } from "../../std/uuid.ts";
import { addresses } from "../addresses.ts";
import { queries, useMe } from "../data/queries.ts";
import { useRecentTasks } from "../data/recent-tasks.ts";
import type { IconName } from "../design/icon.tsx";
import { useDebounced } from "../design/use-debounced.ts";
import { useUi } from "../plugins/lifecycle-ui.ts";
import { usePreference } from "../preferences.ts";
import { matchPath, navigate, useLocation } from "../router.tsx";
import { requestAction } from "../tasks/requested-action.ts";
import { isReadOnly } from "../tasks/role-permissions.ts";
import { useSavedViews } from "../tasks/saved-views.ts";
import { LANGUAGES, useI18n, useNames } from "../texts/i18n.tsx";
import type { Language } from "../texts/i18n.tsx";
import { useSignOut } from "./sign-out.tsx";

export type Command = {
  id: string;
  group: string;
  icon: IconName;
  title: string;
  run: () => void;
  task?: { lifecycle: string; status: string };
};

const DEBOUNCE_MS = 150;
/** Members are listed only for a text that fits some of them. */
const MAX_MEMBERS = 5;

/** Matching commands, best first: what is here, pages and actions by name, then tasks by the server's search. */
export function useCommands(text: string, showShortcuts: () => void): Command[] {
  const { t } = useI18n();
  const debounced = useDebounced(text, DEBOUNCE_MS);
  const { data: found = [] } = useQuery(queries.found(isUuid(debounced) ? "" : debounced));
  const here = [...useTaskActionCommands(), ...useRecentCommands(), ...useViewCommands()];
  const others = [...usePageCommands(), ...useActionCommands(showShortcuts)];
  const people = usePeopleCommands();
  const words = text.toLowerCase().split(/\s+/);
  const isMatch = ({ title }: Command) => words.every((word) => title.toLowerCase().includes(word));
  const tasks: Command[] =
    text.length < 2
      ? []
      : found.map(({ id, title, lifecycle, status }) => ({
          ...taskCommand(id, title, t.palette.tasks),
          task: { lifecycle, status },
        }));
  if (isUuid(text)) tasks.unshift(taskCommand(text, t.palette.openTask(text), t.palette.tasks));
  const listed = here.filter(isMatch);
  // A recent task is not listed twice.
  const further = tasks.filter(({ id }) => !listed.some((one) => one.id === id));
  const matching = others.filter(isMatch);
  // Names that start with the text come first, then tasks and members, then names that only contain it.
  const startsWithText = ({ title }: Command) =>
    text !== "" && title.toLowerCase().startsWith(text.toLowerCase());
  return [
    ...listed,
    ...matching.filter(startsWithText),
    ...further,
    ...(text.length < 2 ? [] : people.filter(isMatch).slice(0, MAX_MEMBERS)),
    ...matching.filter((command) => !startsWithText(command)),
  ];
}

function taskCommand(id: string, title: string, group: string): Command {
  return {
    id,
    group,
    icon: "arrow",
    title,
    run: () => {
      navigate(addresses.task(id));
    },
  };
}

function pageCommand(href: string, group: string, icon: IconName, title: string): Command {
  return {
    id: href,
    group,
    icon,
    title,
    run: () => {
      navigate(href);
    },
  };
}

/** The actions that the member may run on the task of this page. */
function useTaskActionCommands(): Command[] {
  const { t } = useI18n();
  const names = useNames();
  const { path } = useLocation();
  const id = matchPath("/tasks/:id", path)?.id ?? "";
  const { data: task } = useQuery({ ...queries.task(id), enabled: id !== "" });
  const { data: actions = [] } = useQuery({ ...queries.actions(id), enabled: id !== "" });
  if (!task) return [];
  return actions
    .filter(({ allowed }) => allowed)
    .map(({ action }) => ({
      id: `act ${action}`,
      group: t.palette.thisTask,
      icon: "play",
      title: names(task.lifecycle).action(action),
      run: () => {
        requestAction(id, action);
      },
    }));
}

function useRecentCommands(): Command[] {
  const { t } = useI18n();
  const { path } = useLocation();
  return useRecentTasks()
    .filter(({ id }) => addresses.task(id) !== path)
    .map(({ id, title, lifecycle, status }) => ({
      ...taskCommand(id, title, t.palette.recent),
      task: { lifecycle, status },
    }));
}

function useViewCommands(): Command[] {
  const { t } = useI18n();
  return useSavedViews().views.map(({ name, href }) => pageCommand(href, t.palette.views, "docs", name));
}

function usePeopleCommands(): Command[] {
  const { t } = useI18n();
  const { data: members = [] } = useQuery(queries.members());
  return members.map(({ id, name }) =>
    pageCommand(addresses.tasksBy({ owner: id }), t.palette.people, "members", t.palette.tasksOf(name)),
  );
}

function usePageCommands(): Command[] {
  const { t, language } = useI18n();
  const uiOf = useUi();
  const { data: lifecycles = [] } = useQuery(queries.lifecycles());
  const page = (href: string, icon: IconName, title: string) =>
    pageCommand(href, t.palette.goTo, icon, title);
  return [
    page(addresses.overview, "overview", t.shell.overview),
    page(addresses.tasksBy({ owner: "me" }), "hand", t.shell.myTasks),
    ...lifecycles.flatMap(({ name }) => [
      page(addresses.board(name), "board", t.palette.boardOf(name)),
      page(addresses.table(name), "table", t.palette.tableOf(name)),
      ...uiOf(name).tabs.map(({ id, title }) =>
        page(addresses.screen(name, id), "arrow", `${name}: ${(title[language] ?? title.en).toLowerCase()}`),
      ),
      page(addresses.rules(name), "rules", t.palette.rulesOf(name)),
    ]),
    page(addresses.events, "events", t.shell.events),
    page(addresses.members, "members", t.shell.members),
    page(addresses.settings, "settings", t.shell.settings),
  ];
}

function useActionCommands(showShortcuts: () => void): Command[] {
  const { t, language } = useI18n();
  const { data: lifecycles = [] } = useQuery(queries.lifecycles());
  const { roles } = useMe();
  const signOut = useSignOut();
  const [, setTheme] = usePreference("theme");
  const [, setLanguage] = usePreference("language");
  const action = (id: string, icon: IconName, title: string, run: () => void): Command => ({
    id,
    group: t.palette.actions,
    icon,
    title,
    run,
  });
  return [
    ...(isReadOnly(roles) ? [] : lifecycles).map(({ name }) =>
      action(`new ${name}`, "plus", t.palette.newTaskOf(name), () => {
        navigate(`${addresses.board(name)}?new=1`);
      }),
    ),
    action("shortcuts", "key", t.palette.shortcuts, showShortcuts),
    action("light", "sun", t.palette.themeLight, () => {
      setTheme("light");
    }),
    action("dark", "moon", t.palette.themeDark, () => {
      setTheme("dark");
    }),
    ...Object.entries(LANGUAGES)
      .filter(([code]) => code !== language)
      .map(([code, { name }]) =>
        action(code, "docs", `${t.shell.language}: ${name}`, () => {
          setLanguage(code as Language);
        }),
      ),
    action("out", "out", t.shell.signOut, signOut),
  ];
}
