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
  by: Readonly<Record<"day" | "agent" | "task", string>>;
  used: (usage: Usage, format: Format) => string;
  attempts: (n: number) => string;
  chart: (days: number) => string;
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
    by: { day: "Days", agent: "Agents", task: "Tasks" },
    used: ({ input_tokens, output_tokens, cost_usd }, f) => {
      const n = input_tokens + output_tokens;
      return join(cost_usd, en(n, { one: `${f.number(n)} token`, other: `${f.number(n)} tokens` }));
    },
    attempts: (n) => en(n, { one: `${n} attempt`, other: `${n} attempts` }),
    chart: (days) => `Usage of the last ${days} days`,
    noNewTasks: "Today's budget is spent: no new task is started",
  },
  ru: {
    usage: "Токены и стоимость",
    usageHint: "По данным агентов; дни по UTC.",
    usageEmpty: "Расхода пока нет",
    usageEmptyHint: "Здесь появятся токены и стоимость попыток, как только агенты сообщат о них.",
    by: { day: "Дни", agent: "Агенты", task: "Задачи" },
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
    chart: (days) => `Расход за последние ${days} дн.`,
    noNewTasks: "Бюджет на сегодня исчерпан: новые задачи не начинаются",
  },
};
