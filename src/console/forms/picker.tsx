import { useId, useLayoutEffect, useRef, useState } from "react";
import type { KeyboardEvent } from "react";
import { Icon } from "../design/icon.tsx";
import { useI18n } from "../texts/i18n.tsx";
import { choiceNamed, usePickChoices } from "./pick-choices.ts";
import type { Pick } from "./pick-choices.ts";
import type { Choice } from "./field-list.ts";
import "./picker.css";

type PickerProps = {
  id: string;
  pick: Pick;
  value: string;
  onChange: (value: string, fills: Readonly<Record<string, string>>) => void;
  isInvalid?: boolean;
  describedBy?: string | undefined;
  required?: boolean;
};

/** A field with a list to choose from: type to search, arrow keys and Enter to choose. */
export function Picker({ id, pick, value, onChange, isInvalid = false, describedBy, required }: PickerProps) {
  const { t } = useI18n();
  const [text, setText] = useState<string | null>(null);
  const [isListShown, setListShown] = useState(false);
  const { choices, labelOf, isOpen, isPending } = usePickChoices(pick, text ?? "", isListShown, value);
  const [isUnknown, setUnknown] = useState(false);
  // A list that is searched contains the choice only while its name is typed.
  const [chosen, setChosen] = useState<Choice | null>(null);
  const choose = (choice: Choice) => {
    setText(null);
    setChosen(choice);
    setUnknown(false);
    setListShown(false);
    onChange(choice.value, choice.fills ?? {});
  };
  const leave = () => {
    setListShown(false);
    if (text === null) return;
    const named = choiceNamed(choices, text);
    if (named) choose(named);
    else if (text.trim() === "" || isOpen) setText(null);
    setUnknown(text.trim() !== "" && !named && !isOpen);
  };
  return (
    <>
      <SearchList
        id={id}
        text={text ?? (chosen?.value === value ? chosen.label : labelOf(value))}
        choices={choices}
        chosen={[value]}
        shown={isListShown}
        isPending={isPending}
        isInvalid={isInvalid || isUnknown}
        describedBy={isUnknown ? `${id}-unknown` : describedBy}
        required={required ?? false}
        onShow={setListShown}
        onType={(typed) => {
          setText(typed);
          setUnknown(false);
          // An exact id counts at once, also while the list is still loading.
          onChange(choiceNamed(choices, typed)?.value ?? typed.trim(), {});
        }}
        onChoose={choose}
        onLeave={leave}
      />
      {isUnknown && (
        <span className="field-error" id={`${id}-unknown`}>
          {t.form.notListed}
        </span>
      )}
    </>
  );
}

/** A picker for several values, which it shows as tags. */
export function MultiPicker({ id, pick, value, onChange, isInvalid = false, describedBy }: PickerProps) {
  const { t } = useI18n();
  const [text, setText] = useState("");
  const [isListShown, setListShown] = useState(false);
  const { choices, all, isOpen, isPending } = usePickChoices(pick, text, isListShown, "");
  const [isUnknown, setUnknown] = useState(false);
  /** The values in a typed text; others than the listed ones only if they are accepted. */
  const valuesIn = (typed: string) =>
    splitValues(typed).flatMap((part) => choiceNamed(all, part)?.value ?? (isOpen ? part : []));
  const typedValues = valuesIn(text);
  // Typed values count at once, so that a click on the submit button sends them, but become tags only afterwards.
  const values = splitValues(value).filter((one) => !typedValues.includes(one));
  const change = (next: readonly string[]) => {
    onChange([...new Set(next)].join(", "), {});
  };
  const leave = () => {
    setListShown(false);
    const unknown = splitValues(text).filter((part) => valuesIn(part).length === 0);
    setText(unknown.join(", "));
    setUnknown(unknown.length > 0);
  };
  return (
    <div className="multi-picker">
      {values.map((one) => (
        <ValueTag
          key={one}
          pick={pick}
          value={one}
          onRemove={() => {
            change([...values.filter((other) => other !== one), ...typedValues]);
          }}
        />
      ))}
      <SearchList
        id={id}
        text={text}
        choices={choices.filter((choice) => !values.includes(choice.value))}
        chosen={values}
        shown={isListShown}
        isPending={isPending}
        isInvalid={isInvalid || isUnknown}
        describedBy={isUnknown ? `${id}-unknown` : describedBy}
        required={false}
        placeholder={t.form.add}
        onShow={setListShown}
        onType={(typed) => {
          setText(typed);
          setUnknown(false);
          change([...values, ...valuesIn(typed)]);
        }}
        onChoose={(choice) => {
          setText("");
          setUnknown(false);
          change([...values, choice.value]);
        }}
        onLeave={leave}
        onRemoveLast={() => {
          change(values.slice(0, -1));
        }}
      />
      {isUnknown && (
        <span className="field-error small" id={`${id}-unknown`}>
          {t.form.notListed}
        </span>
      )}
    </div>
  );
}

export function splitValues(text: string): string[] {
  return text.split(/[,\n]/).flatMap((part) => (part.trim() === "" ? [] : [part.trim()]));
}

function ValueTag({ pick, value, onRemove }: { pick: Pick; value: string; onRemove: () => void }) {
  const { t } = useI18n();
  const { labelOf } = usePickChoices(pick, "", false, value);
  return (
    <span className="tag">
      <bdi className="cut">{labelOf(value)}</bdi>
      <button type="button" aria-label={t.form.remove(labelOf(value))} onClick={onRemove}>
        <Icon name="close" />
      </button>
    </span>
  );
}

type SearchListProps = {
  id: string;
  text: string;
  choices: readonly Choice[];
  chosen: readonly string[];
  shown: boolean;
  isPending: boolean;
  isInvalid: boolean;
  describedBy: string | undefined;
  required: boolean;
  placeholder?: string;
  onShow: (shown: boolean) => void;
  onType: (text: string) => void;
  onChoose: (choice: Choice) => void;
  onLeave: () => void;
  onRemoveLast?: () => void;
};

function SearchList(props: SearchListProps) {
  const { id, text, choices, chosen, shown, isPending, isInvalid, required, placeholder } = props;
  const { onShow, onType, onChoose, onLeave, onRemoveLast } = props;
  const { t } = useI18n();
  const listId = useId();
  const [at, setAt] = useState(0);
  const input = useRef<HTMLInputElement>(null);
  const active = Math.min(at, choices.length - 1);
  const onKeyDown = (event: KeyboardEvent) => {
    const by = event.key === "ArrowDown" ? 1 : event.key === "ArrowUp" ? -1 : 0;
    const choice = choices[active];
    if (by !== 0) {
      if (shown) setAt((active + by + choices.length) % Math.max(1, choices.length));
      else onShow(true);
    } else if (event.key === "Enter" && shown && choice) onChoose(choice);
    else if (event.key === "Escape" && shown) onShow(false);
    else {
      if (event.key === "Backspace" && text === "") onRemoveLast?.();
      return;
    }
    event.preventDefault();
    event.stopPropagation();
  };
  return (
    <span className="search-list">
      <input
        ref={input}
        id={id}
        className="input"
        role="combobox"
        autoComplete="off"
        dir="auto"
        aria-expanded={shown}
        aria-controls={shown ? listId : undefined}
        aria-activedescendant={shown && choices[active] ? `${listId}-${active}` : undefined}
        aria-autocomplete="list"
        aria-invalid={isInvalid}
        aria-describedby={props.describedBy}
        aria-required={required}
        placeholder={placeholder ?? t.form.choose}
        value={text}
        onClick={() => {
          onShow(true);
        }}
        onKeyDown={onKeyDown}
        onChange={(event) => {
          setAt(0);
          onShow(true);
          onType(event.target.value);
        }}
        onBlur={onLeave}
      />
      {shown && (
        <Options
          id={listId}
          anchor={input}
          choices={choices}
          active={active}
          chosen={chosen}
          isPending={isPending}
          onPoint={setAt}
          onChoose={onChoose}
        />
      )}
    </span>
  );
}

function Options({
  id,
  anchor,
  choices,
  active,
  chosen,
  isPending,
  onPoint,
  onChoose,
}: {
  id: string;
  anchor: { current: HTMLInputElement | null };
  choices: readonly Choice[];
  active: number;
  chosen: readonly string[];
  isPending: boolean;
  onPoint: (index: number) => void;
  onChoose: (choice: Choice) => void;
}) {
  const { t } = useI18n();
  const list = useRef<HTMLDivElement>(null);
  // A popover is shown above the dialog and is not cut off by its scrolling body.
  useLayoutEffect(() => {
    const [shown, field] = [list.current, anchor.current];
    if (!shown || !field) return;
    shown.showPopover();
    const { top, bottom, left, width } = field.getBoundingClientRect();
    const below = window.innerHeight - bottom;
    Object.assign(shown.style, {
      left: `${left}px`,
      width: `${width}px`,
      ...(below > 220 || below > top
        ? { top: `${bottom + 4}px`, maxHeight: `${Math.min(280, below - 12)}px` }
        : { bottom: `${window.innerHeight - top + 4}px`, maxHeight: `${Math.min(280, top - 12)}px` }),
    });
  }, [anchor]);
  useLayoutEffect(() => {
    list.current?.querySelector("[data-active=true]")?.scrollIntoView({ block: "nearest" });
  }, [active]);
  return (
    <div ref={list} id={id} role="listbox" popover="manual" className="options">
      {choices.map((choice, index) => (
        <div
          key={choice.value}
          id={`${id}-${index}`}
          role="option"
          aria-selected={chosen.includes(choice.value)}
          data-active={index === active}
          onPointerMove={() => {
            onPoint(index);
          }}
          // Before the field loses the focus.
          onPointerDown={(event) => {
            event.preventDefault();
            onChoose(choice);
          }}
        >
          <bdi className="cut">{choice.label}</bdi>
          {choice.note && <span className="faint small cut">{choice.note}</span>}
        </div>
      ))}
      {choices.length === 0 && (
        <p className="faint small">{isPending ? t.common.loading : t.palette.nothing}</p>
      )}
    </div>
  );
}
