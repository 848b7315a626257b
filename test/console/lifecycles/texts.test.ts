import { expect, test } from "vitest";
import { TEXTS as board } from "../../../src/lifecycles/board/ui/texts.ts";
import { TEXTS as botActions } from "../../../src/lifecycles/bot-actions/ui/texts.ts";
import { TEXTS as code } from "../../../src/lifecycles/code/ui/texts.ts";
import { TEXTS as delivery } from "../../../src/lifecycles/delivery/ui/texts.ts";
import { LEAD_TEXTS as plannerLead } from "../../../src/lifecycles/planner/ui/lead-texts.ts";
import { TEXTS as planner } from "../../../src/lifecycles/planner/ui/texts.ts";
import { SHIFT_TEXTS as shifts } from "../../../src/lifecycles/planner/ui/shift-texts.ts";
import { WORK_TEXTS as plannerWork } from "../../../src/lifecycles/planner/ui/work-texts.ts";
import { OUTBOX_TEXTS as outbox } from "../../../src/console/shell/outbox-texts.ts";
import { inboxTexts as inbox } from "../../../src/console/screens/overview/inbox-texts.ts";
import { TEXTS as graph } from "../../../src/console/screens/graph/texts.ts";
import { PLUGINS } from "../../../src/lifecycles/index.ts";

/** All texts with their paths; functions are called with numbers. */
function textsIn(texts: object, path = ""): [string, string][] {
  return Object.entries(texts).flatMap(([name, value]: [string, unknown]) => {
    if (typeof value === "string") return [[path + name, value] as [string, string]];
    if (typeof value === "function")
      return [
        [`${path}${name}()`, String((value as (n: number, m: number) => unknown)(5, 7))] as [string, string],
      ];
    return textsIn(value as object, `${path}${name}.`);
  });
}

test.each(
  Object.entries({
    board,
    botActions,
    code,
    delivery,
    planner,
    plannerLead,
    plannerWork,
    outbox,
    shifts,
    graph,
    inbox,
  }),
)("%s: both languages have the same texts, and none is empty", (_, { en, ru }) => {
  const [english, russian] = [textsIn(en), textsIn(ru)];
  expect(russian.map(([path]) => path)).toEqual(english.map(([path]) => path));
  expect([...english, ...russian].filter(([, text]) => text.trim() === "")).toEqual([]);
  expect(russian.filter(([, text]) => !/[а-яё]/i.test(text)).map(([path]) => path)).toEqual([]);
});

test.each(PLUGINS.map((plugin) => [plugin.lifecycle.name, plugin] as const))(
  "%s: texts of actions exist in both languages, and none is named just Cancel",
  (_, { lifecycle, ui }) => {
    const { en = {}, ru = {} } = ui?.texts ?? {};
    for (const part of ["confirmations", "successes"] as const) {
      const named = Object.keys(en[part] ?? {});
      expect(Object.keys(ru[part] ?? {})).toEqual(named);
      expect(named.filter((action) => !Object.hasOwn(lifecycle.actions, action))).toEqual([]);
    }
    const labels = [...Object.values(en.actions ?? {}), ...Object.values(ru.actions ?? {})];
    expect(labels.filter((label) => /^(Cancel|Отмена|Отменить)$/.test(label))).toEqual([]);
    expect(
      Object.keys(en.actions ?? {}).filter((action) => !Object.hasOwn(lifecycle.actions, action)),
    ).toEqual([]);
  },
);
