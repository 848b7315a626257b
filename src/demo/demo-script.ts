import type { BodySent, ROUTES } from "../api/index.ts";
import type { Stage } from "./stage.ts";

export type NewMember = BodySent<typeof ROUTES.createMember> & { id: string };
export type NewProject = Partial<BodySent<typeof ROUTES.createProject>> & { id: string };

/**
 * A plugin's part of the demo: members, projects, and what the members do.
 *
 * ```ts
 * export const members: DemoScript["members"] = [{ id: "inga", name: "Inga Holm", kind: "human", roles: ["accountant"] }];
 * export const projects: DemoScript["projects"] = [];
 * export const play: DemoScript["play"] = (stage) => stage.keepOn([5, 20], () => enterInvoice(stage.as("inga")));
 * ```
 */
export type DemoScript = {
  members: readonly NewMember[];
  projects: readonly NewProject[];
  /** Roles and skills that the visitor needs to take part. */
  visitor?:
    { roles?: readonly string[]; skill_level?: number; specializations?: readonly string[] } | undefined;
  /** Plays the members' actions until the stage ends. */
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

export const VISITOR: Visitor = {
  id: "you",
  name: "You",
  kind: "human",
  roles: ["admin"],
  project_ids: null,
  skill_level: null,
  specializations: [],
  active: true,
};

export function visitorOf(scripts: readonly DemoScript[]): Visitor {
  const parts = scripts.flatMap(({ visitor }) => visitor ?? []);
  return {
    ...VISITOR,
    roles: [...new Set([...VISITOR.roles, ...parts.flatMap(({ roles }) => roles ?? [])])],
    skill_level: parts.reduce<number | null>((level, part) => part.skill_level ?? level, null),
    specializations: [...new Set(parts.flatMap(({ specializations }) => specializations ?? []))],
  };
}
