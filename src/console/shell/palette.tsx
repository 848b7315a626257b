import { useEffect, useId, useLayoutEffect, useRef, useState } from "react";
import type { KeyboardEvent } from "react";
import { Icon } from "../design/icon.tsx";
import { StatusChip } from "../design/status.tsx";
import { useI18n } from "../texts/i18n.tsx";
import { useCommands } from "./palette-commands.ts";
import type { Command } from "./palette-commands.ts";
import "./palette.css";

/** Command palette: pages, actions, tasks and members. */
export function Palette({ onClose, onShortcuts }: { onClose: () => void; onShortcuts: () => void }) {
  const { t } = useI18n();
  const [text, setText] = useState("");
  const [at, setAt] = useState(0);
  const ref = useRef<HTMLDialogElement>(null);
  const listId = useId();
  const commands = useCommands(text.trim(), onShortcuts);
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
