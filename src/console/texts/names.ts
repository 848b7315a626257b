import type { UiTexts } from "../data/client.ts";
import { ACTIONS as ACTIONS_RU, CHOICES, FIELDS, WHO } from "./names-ru.ts";
import { refusalInRussian } from "./refusals-ru.ts";
import type { RefusalReply } from "./refusals-ru.ts";

/** Button labels of common actions. A dialog has a button to close it, so no action is named just "Cancel". */
const ACTIONS: Readonly<Record<"en" | "ru", Table>> = { en: { cancel: "Cancel task" }, ru: ACTIONS_RU };

export type Names = ReturnType<typeof namesIn>;

type Table = Readonly<Record<string, string>> | undefined;

/** Labels for the names of a lifecycle: from its plugin's texts, then from the console's, else made from the name. */
export function namesIn(language: "en" | "ru", texts: UiTexts = {}) {
  const isRussian = language === "ru";
  const find = (own: Table, common: Table, name: string): string | undefined =>
    own && Object.hasOwn(own, name)
      ? own[name]
      : common && Object.hasOwn(common, name)
        ? common[name]
        : undefined;
  const who = (label: string) =>
    label
      .split(" or ")
      .map((one) => find(texts.who, isRussian ? WHO : undefined, one) ?? one)
      .join(isRussian ? " или " : " or ");
  return {
    action: (name: string) => find(texts.actions, ACTIONS[language], name) ?? labelOf(name),
    /** The consequence of an action; null if the plugin gives none. */
    confirmation: (name: string) => find(texts.confirmations, undefined, name) ?? null,
    /** The message after an action; null if the plugin gives none. */
    success: (name: string, title: string) => {
      const text = find(texts.successes, undefined, name);
      return text === undefined ? null : fillTemplate(text, { title });
    },
    /** `assignee_id` becomes "Assignee". */
    field: (name: string) =>
      find(texts.fields, isRussian ? FIELDS : undefined, name) ?? labelOf(name.replace(/(_id|Id)$/, "")),
    /** The description of a field; null if it is not translated. */
    hint: (text: string) => find(texts.hints, undefined, text) ?? (isRussian ? null : text),
    choice: (value: string) => find(texts.choices, isRussian ? CHOICES : undefined, value) ?? labelOf(value),
    who,
    refusal: (refused: RefusalReply, label: (status: string) => string = labelOf) => {
      const own = find(texts.refusals, undefined, refused.code);
      if (own !== undefined) return fillTemplate(own, refused.params);
      return (isRussian ? refusalInRussian(refused, { label, who }) : null) ?? refused.detail;
    },
  };
}

/** Fills `{name}` and `{name|default}` with parameters. */
function fillTemplate(template: string, params: RefusalReply["params"]): string {
  return template.replaceAll(/\{(\w+)(?:\|([^}]*))?\}/g, (_, name: string, otherwise = "") => {
    const value = params[name];
    return typeof value === "string" || typeof value === "number" ? String(value) : String(otherwise);
  });
}

/** `IN_PROGRESS` and `inProgress` become "In progress". */
export function labelOf(name: string): string {
  const words = name
    .replaceAll(/(\p{Ll}|\d)(\p{Lu})/gu, "$1 $2")
    .replaceAll(/[_-]+/g, " ")
    .toLowerCase();
  return words.charAt(0).toUpperCase() + words.slice(1);
}
