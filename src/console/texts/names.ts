import { ACTIONS, CHOICES, FIELDS, HINTS, WHO } from "./names-ru.ts";
import { refusalInRussian } from "./refusals-ru.ts";
import type { Refused } from "./refusals-ru.ts";

export type Names = ReturnType<typeof namesIn>;

/** How what lifecycles name is spoken of. What Pawl brings with it is known in every language, a user's own by its name. */
export function namesIn(language: "en" | "ru") {
  const isRussian = language === "ru";
  const known = (words: Readonly<Record<string, string>>, name: string) =>
    isRussian && Object.hasOwn(words, name) ? words[name] : undefined;
  const who = (label: string) =>
    label
      .split(" or ")
      .map((one) => known(WHO, one) ?? one)
      .join(isRussian ? " или " : " or ");
  return {
    action: (name: string) => known(ACTIONS, name) ?? labelOf(name),
    /** `assignee_id` is about an assignee. */
    field: (name: string) => known(FIELDS, name) ?? labelOf(name.replace(/(_id|Id)$/, "")),
    /** What a definition says of a field; null where that is known in another language only. */
    hint: (text: string) => (isRussian ? (known(HINTS, text) ?? null) : text),
    choice: (value: string) => known(CHOICES, value) ?? labelOf(value),
    who,
    refusal: (refused: Refused, label: (status: string) => string = labelOf) =>
      (isRussian ? refusalInRussian(refused, { label, who }) : null) ?? refused.detail,
  };
}

/** `IN_PROGRESS` and `inProgress` as people write it. */
export function labelOf(name: string): string {
  const words = name
    .replaceAll(/(\p{Ll}|\d)(\p{Lu})/gu, "$1 $2")
    .replaceAll(/[_-]+/g, " ")
    .toLowerCase();
  return words.charAt(0).toUpperCase() + words.slice(1);
}
