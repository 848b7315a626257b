import { isUuid } from "../../std/uuid.ts";
import { useEffect, useId, useLayoutEffect, useRef, useState } from "react";
import type { KeyboardEvent } from "react";
import { useQuery } from "@tanstack/react-query";
import { addresses } from "../addresses.ts";
import { queries, useMe } from "../data/queries.ts";
import { Icon } from "../design/icon.tsx";
import type { IconName } from "../design/icon.tsx";
import { useDebounced } from "../design/use-debounced.ts";
import { StatusChip } from "../design/status.tsx";
import { useUi } from "../plugins/lifecycle-ui.ts";
import { usePreference } from "../preferences.ts";
import { navigate } from "../router.tsx";
import { isReadOnly } from "../tasks/role-permissions.ts";
import { LANGUAGES, useI18n } from "../texts/i18n.tsx";
import type { Language } from "../texts/i18n.tsx";
import { useSignOut } from "./sign-out.tsx";
import "./palette.css";

type Command = {
  id: string;
  group: string;
  icon: IconName;
  title: string;
  run: () => void;
  task?: { lifecycle: string; status: string };
};

const DEBOUNCE_MS = 150;

/** Command palette: pages, actions and tasks. */
export function Palette({ onClose }: { onClose: () => void }) {
  const { t } = useI18n();
  const [text, setText] = useState("");
  const [at, setAt] = useState(0);
  const ref = useRef<HTMLDialogElement>(null);
  const listId = useId();
  const commands = useCommands(text.trim());
  const chosen = Math.min(at, commands.length - 1);
  // A layout effect: the browser restores the focus only if the dialog is closed before it leaves the document.
  useLayoutEffect(() => {
    const dialog = ref.current;
    if (dialog && !dialog.open) dialog.showModal();
    return () => dialog?.close();
  }, []);
  useEffect(() => {
    ref.current?.querySelector("[aria-selected=true]")?.scrollIntoView({ block: "nearest" });
  }, [chosen]);
  const run = (command: Command | undefined) => {
    if (!command) return;
    onClose();
    command.run();
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const by = event.key === "ArrowDown" ? 1 : event.key === "ArrowUp" ? -1 : 0;
    if (by !== 0) setAt((chosen + by + commands.length) % Math.max(1, commands.length));
    else if (event.key === "Enter") run(commands[chosen]);
    else return;
    event.preventDefault();
  };
  return (
    <dialog
      ref={ref}
      className="dialog palette"
      aria-label={t.shell.palette}
      onClose={onClose}
      onClick={(event) => {
        if (event.target === ref.current) onClose();
      }}
    >
      <div className="palette-field">
        <Icon name="search" />
        <input
          autoFocus
          role="combobox"
          aria-expanded="true"
          aria-controls={listId}
          aria-activedescendant={commands[chosen] ? `${listId}-${chosen}` : undefined}
          aria-label={t.shell.palette}
          placeholder={t.palette.placeholder}
          value={text}
          onKeyDown={onKeyDown}
          onChange={(event) => {
            setText(event.target.value);
            setAt(0);
          }}
        />
      </div>
      <div className="palette-list" role="listbox" id={listId} aria-label={t.shell.palette} tabIndex={-1}>
        {commands.map((command, index) => (
          <div key={command.id}>
            {commands[index - 1]?.group !== command.group && <p className="caption">{command.group}</p>}
            <Item
              id={`${listId}-${index}`}
              command={command}
              chosen={index === chosen}
              onChoose={() => {
                setAt(index);
              }}
              onRun={() => {
                run(command);
              }}
            />
          </div>
        ))}
        {commands.length === 0 && <p className="caption">{t.palette.nothing}</p>}
      </div>
      <p className="palette-hint">{t.palette.hint}</p>
    </dialog>
  );
}

type ItemProps = { id: string; command: Command; chosen: boolean; onChoose: () => void; onRun: () => void };

function Item({ id, command, chosen, onChoose, onRun }: ItemProps) {
  return (
    <div
      role="option"
      id={id}
      aria-selected={chosen}
      className="palette-item"
      onPointerMove={onChoose}
      onClick={onRun}
    >
      <Icon name={command.icon} />
      <span className="cut">{command.title}</span>
      {command.task && (
        <span className="push">
          <StatusChip {...command.task} />
        </span>
      )}
    </div>
  );
}

/** Matching commands, best first: pages and actions by name, tasks by the server's search. */
function useCommands(text: string): Command[] {
  const { t } = useI18n();
  const debounced = useDebounced(text, DEBOUNCE_MS);
  const { data: found = [] } = useQuery(queries.found(isUuid(debounced) ? "" : debounced));
  const pages = usePageCommands();
  const actions = useActionCommands();
  const words = text.toLowerCase().split(/\s+/);
  const matching = [...pages, ...actions].filter(({ title }) =>
    words.every((word) => title.toLowerCase().includes(word)),
  );
  const open = (id: string) => () => {
    navigate(addresses.task(id));
  };
  const tasks: Command[] =
    text.length < 2
      ? []
      : found.map(({ id, title, lifecycle, status }) => ({
          id,
          group: t.palette.tasks,
          icon: "arrow",
          title,
          run: open(id),
          task: { lifecycle, status },
        }));
  if (isUuid(text))
    tasks.unshift({
      id: text,
      group: t.palette.tasks,
      icon: "arrow",
      title: t.palette.openTask(text),
      run: open(text),
    });
  // Names that start with the text come first, then tasks, then names that only contain it.
  const startsWithText = ({ title }: Command) =>
    text !== "" && title.toLowerCase().startsWith(text.toLowerCase());
  return [
    ...matching.filter(startsWithText),
    ...tasks,
    ...matching.filter((command) => !startsWithText(command)),
  ];
}

function usePageCommands(): Command[] {
  const { t, language } = useI18n();
  const uiOf = useUi();
  const { data: lifecycles = [] } = useQuery(queries.lifecycles());
  const page = (href: string, icon: IconName, title: string): Command => ({
    id: href,
    group: t.palette.goTo,
    icon,
    title,
    run: () => {
      navigate(href);
    },
  });
  return [
    page(addresses.overview, "overview", t.shell.overview),
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

function useActionCommands(): Command[] {
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

/** The text after a pause in typing. */
