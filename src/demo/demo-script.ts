import type { BodySent, ROUTES } from "../api/index.ts";
import type { Stage } from "./stage.ts";

export type NewMember = BodySent<typeof ROUTES.createMember> & { id: string };
export type NewProject = Partial<BodySent<typeof ROUTES.createProject>> & { id: string };

/** The part of one lifecycle in the demo of Lumen, a small maker of lamps. */
export type DemoScript = {
  members: readonly NewMember[];
  projects: readonly NewProject[];
  /** Roles and skills that the visitor needs to join in. */
  visitor?:
    { roles?: readonly string[]; skill_level?: number; specializations?: readonly string[] } | undefined;
  /** Acts until the stage ends. */
  play: (stage: Stage) => Promise<void>;
};

/** The member whose token the person who looks at the demo gets. */
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
    skill_level: parts.reduce<number | null>((most, { skill_level }) => skill_level ?? most, null),
    specializations: [...new Set(parts.flatMap(({ specializations }) => specializations ?? []))],
  };
}
