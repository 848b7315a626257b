import { pluralIn } from "../../../console/texts/plural.ts";
import type { LocalizedTexts } from "../../../console/texts/localized-texts.ts";

const [en, ru] = [pluralIn("en"), pluralIn("ru")];

type Usage = { input_tokens: number; output_tokens: number; cost_usd: number | null };
type Format = { number: (value: number) => string };

type Texts = {
  usage: string;
  usageHint: string;
  usageEmpty: string;
  usageEmptyHint: string;
  by: Readonly<Record<"agent" | "task", string>>;
  used: (usage: Usage, format: Format) => string;
  attempts: (n: number) => string;
  /** The caption of a chart, with the highest day. */
  chart: Readonly<Record<"cost" | "tokens", (max: number, day: string, format: Format) => string>>;
  noNewTasks: string;
};

function join(cost: number | null, tokens: string): string {
  return cost === null ? tokens : `$${cost.toFixed(2)} · ${tokens}`;
}

export const USAGE_TEXTS: LocalizedTexts<Texts> = {
  en: {
    usage: "Tokens and cost",
    usageHint: "As the agents report them; days are in UTC.",
    usageEmpty: "No usage yet",
    usageEmptyHint: "Tokens and cost of each attempt appear here when its agent reports them.",
    by: { agent: "Agents", task: "Tasks" },
    used: ({ input_tokens, output_tokens, cost_usd }, f) => {
      const n = input_tokens + output_tokens;
      return join(cost_usd, en(n, { one: `${f.number(n)} token`, other: `${f.number(n)} tokens` }));
    },
    attempts: (n) => en(n, { one: `${n} attempt`, other: `${n} attempts` }),
    chart: {
      cost: (max, day) => `Cost per day: at most $${max.toFixed(2)}, on ${day}`,
      tokens: (max, day, f) => `Tokens per day: at most ${f.number(max)}, on ${day}`,
    },
    noNewTasks: "Today's budget is spent: no new task is started",
  },
  ru: {
    usage: "Токены и стоимость",
    usageHint: "По данным агентов; дни по UTC.",
    usageEmpty: "Расхода пока нет",
    usageEmptyHint: "Здесь появятся токены и стоимость попыток, как только агенты сообщат о них.",
    by: { agent: "Агенты", task: "Задачи" },
    used: ({ input_tokens, output_tokens, cost_usd }, f) => {
      const n = input_tokens + output_tokens;
      const tokens = ru(n, {
        one: `${f.number(n)} токен`,
        few: `${f.number(n)} токена`,
        other: `${f.number(n)} токенов`,
      });
      return join(cost_usd, tokens);
    },
    attempts: (n) => ru(n, { one: `${n} попытка`, few: `${n} попытки`, other: `${n} попыток` }),
    chart: {
      cost: (max, day) => `Стоимость за день: не больше $${max.toFixed(2)}, ${day}`,
      tokens: (max, day, f) => `Токенов за день: не больше ${f.number(max)}, ${day}`,
    },
    noNewTasks: "Бюджет на сегодня исчерпан: новые задачи не начинаются",
  },
};
