import type { BodySent, DemoLanguage, ROUTES } from "../api/index.ts";
import type { Stage } from "./stage.ts";

export type DemoMember = BodySent<typeof ROUTES.createMember> & { id: string };
export type DemoProject = Partial<BodySent<typeof ROUTES.createProject>> & { id: string };

/** A value that is the same in every language of the demo, or a function that gives it for each. */
type PerLanguage<T> = T | ((language: DemoLanguage) => T);

/** Roles and skills that the visitor needs to take part. */
type VisitorSkills = {
  roles?: readonly string[];
  skill_level?: number;
  specializations?: readonly string[];
};

/**
 * A plugin's part of the demo: members, projects, and what the members do.
 *
 * ```ts
 * export const members: DemoScript["members"] = (language) => [
 *   { id: "inga", name: { en: "Inga Holm", ru: "Инга Хольм" }[language], kind: "human", roles: ["accountant"] },
 * ];
 * export const projects: DemoScript["projects"] = [];
 * export const play: DemoScript["play"] = (stage) => stage.keepOn([5, 20], () => enterInvoice(stage.as("inga")));
 * ```
 */
export type DemoScript = {
  members: PerLanguage<readonly DemoMember[]>;
  projects: PerLanguage<readonly DemoProject[]>;
  visitor?: PerLanguage<VisitorSkills> | undefined;
  /** Plays the members' actions until the stage ends, in `stage.language`. */
  play: (stage: Stage) => Promise<void>;
};

/** The member that a person who visits the demo is signed in as. */
export type Visitor = {
  id: string;
  name: string;
  kind: "human";
  roles: string[];
  project_ids: null;
  skill_level: number | null;
  specializations: string[];
  active: true;
};

export const VISITOR_ID = "you";
const VISITOR_NAMES: Readonly<Record<DemoLanguage, string>> = { en: "You", ru: "Вы" };

export function visitorOf(scripts: readonly DemoScript[], language: DemoLanguage): Visitor {
  const parts = scripts.flatMap(({ visitor }) => (visitor ? valueIn(language, visitor) : []));
  return {
    id: VISITOR_ID,
    name: VISITOR_NAMES[language],
    kind: "human",
    project_ids: null,
    active: true,
    roles: [...new Set(["admin", ...parts.flatMap(({ roles }) => roles ?? [])])],
    skill_level: parts.reduce<number | null>((level, part) => part.skill_level ?? level, null),
    specializations: [...new Set(parts.flatMap(({ specializations }) => specializations ?? []))],
  };
}

/** Returns the value for one language. */
export function valueIn<T extends object>(language: DemoLanguage, value: PerLanguage<T>): T {
  return typeof value === "function" ? value(language) : value;
}
