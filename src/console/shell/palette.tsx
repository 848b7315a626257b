import { isUuid } from "../../std/uuid.ts";
import { useEffect, useId, useRef, useState } from "react";
import type { KeyboardEvent } from "react";
import { useQuery } from "@tanstack/react-query";
import { addresses } from "../addresses.ts";
import { signOut } from "../data/client.ts";
import { queries, useMe } from "../data/queries.ts";
import { Icon } from "../design/icon.tsx";
import type { IconName } from "../design/icon.tsx";
import { StatusChip } from "../design/status.tsx";
import { useUi } from "../plugins/lifecycle-ui.ts";
import { usePreference } from "../preferences.ts";
import { navigate } from "../router.tsx";
import { isReadOnly } from "../tasks/may.ts";
import { LANGUAGES, useI18n } from "../texts/i18n.tsx";
import type { Language } from "../texts/i18n.tsx";
import "./palette.css";

type Command = {
  id: string;
  group: string;
  icon: IconName;
  title: string;
  run: () => void;
  task?: { lifecycle: string; status: string };
};

const SETTLED_MS = 150;

/** Everything that can be gone to or done, a few letters away. */
export function Palette({ onClose }: { onClose: () => void }) {
  const { t } = useI18n();
  const [words, setWords] = useState("");
  const [at, setAt] = useState(0);
  const ref = useRef<HTMLDialogElement>(null);
  const listId = useId();
  const commands = useCommands(words.trim());
  const chosen = Math.min(at, commands.length - 1);
  useEffect(() => {
    const dialog = ref.current;
    if (dialog && !dialog.open) dialog.showModal();
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
          value={words}
          onKeyDown={onKeyDown}
          onChange={(event) => {
            setWords(event.target.value);
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

/** Those that fit, best first: places and deeds by their names, tasks by what the server finds. */
function useCommands(words: string): Command[] {
  const { t } = useI18n();
  const settled = useSettled(words);
  const { data: found = [] } = useQuery(queries.found(isUuid(settled) ? "" : settled));
  const places = usePlaces();
  const deeds = useDeeds();
  const wanted = words.toLowerCase().split(/\s+/);
  const fitting = [...places, ...deeds].filter(({ title }) =>
    wanted.every((word) => title.toLowerCase().includes(word)),
  );
  const open = (id: string) => () => {
    navigate(addresses.task(id));
  };
  const tasks: Command[] =
    words.length < 2
      ? []
      : found.map(({ id, title, lifecycle, status }) => ({
          id,
          group: t.palette.tasks,
          icon: "arrow",
          title,
          run: open(id),
          task: { lifecycle, status },
        }));
  if (isUuid(words))
    tasks.unshift({
      id: words,
      group: t.palette.tasks,
      icon: "arrow",
      title: t.palette.openTask(words),
      run: open(words),
    });
  // What is called so comes first, then tasks, then what only has the words in it.
  const isCalled = ({ title }: Command) =>
    words !== "" && title.toLowerCase().startsWith(words.toLowerCase());
  return [...fitting.filter(isCalled), ...tasks, ...fitting.filter((command) => !isCalled(command))];
}

function usePlaces(): Command[] {
  const { t, language } = useI18n();
  const uiOf = useUi();
  const { data: lifecycles = [] } = useQuery(queries.lifecycles());
  const place = (href: string, icon: IconName, title: string): Command => ({
    id: href,
    group: t.palette.goTo,
    icon,
    title,
    run: () => {
      navigate(href);
    },
  });
  return [
    place(addresses.overview, "overview", t.shell.overview),
    ...lifecycles.flatMap(({ name }) => [
      place(addresses.board(name), "board", t.palette.boardOf(name)),
      place(addresses.table(name), "table", t.palette.tableOf(name)),
      ...uiOf(name).tabs.map(({ id, title }) =>
        place(addresses.screen(name, id), "arrow", `${name}: ${(title[language] ?? title.en).toLowerCase()}`),
      ),
      place(addresses.rules(name), "rules", t.palette.rulesOf(name)),
    ]),
    place(addresses.events, "events", t.shell.events),
    place(addresses.members, "members", t.shell.members),
    place(addresses.settings, "settings", t.shell.settings),
  ];
}

function useDeeds(): Command[] {
  const { t, language } = useI18n();
  const { data: lifecycles = [] } = useQuery(queries.lifecycles());
  const { roles } = useMe();
  const [, setTheme] = usePreference("theme");
  const [, speak] = usePreference("language");
  const deed = (id: string, icon: IconName, title: string, run: () => void): Command => ({
    id,
    group: t.palette.doIt,
    icon,
    title,
    run,
  });
  return [
    ...(isReadOnly(roles) ? [] : lifecycles).map(({ name }) =>
      deed(`new ${name}`, "plus", t.palette.newTaskOf(name), () => {
        navigate(`${addresses.board(name)}?new=1`);
      }),
    ),
    deed("light", "sun", t.palette.themeLight, () => {
      setTheme("light");
    }),
    deed("dark", "moon", t.palette.themeDark, () => {
      setTheme("dark");
    }),
    ...Object.entries(LANGUAGES)
      .filter(([code]) => code !== language)
      .map(([code, { name }]) =>
        deed(code, "docs", `${t.shell.language}: ${name}`, () => {
          speak(code as Language);
        }),
      ),
    deed("out", "out", t.shell.signOut, () => void signOut()),
  ];
}

/** What was written, once the writer pauses. */
function useSettled(words: string): string {
  const [settled, setSettled] = useState(words);
  useEffect(() => {
    const timer = setTimeout(() => {
      setSettled(words);
    }, SETTLED_MS);
    return () => {
      clearTimeout(timer);
    };
  }, [words]);
  return settled;
}
