import type { BodySent, ROUTES } from "../api/index.ts";

type NewMember = BodySent<typeof ROUTES.createMember> & { id: string };
type NewProject = BodySent<typeof ROUTES.createProject> & { id: string };

/** Who comes to look: may see all of it, and join in. */
export const VISITOR = {
  id: "you",
  name: "You",
  kind: "human" as const,
  roles: ["admin", "agent", "supervisor", "executor"],
  project_ids: null,
  skill_level: 9,
  specializations: ["assembly", "wiring", "finishing"],
  active: true,
};

/** Everybody at Lumen, a small maker of lamps: people, agents, workers and bots. */
export const MEMBERS: readonly NewMember[] = [
  { id: "maya", name: "Maya Lindqvist", kind: "human", roles: ["agent"] },
  { id: "tomas", name: "Tomás Rivera", kind: "human", roles: ["agent"] },
  { id: "scout", name: "Scout", kind: "agent", roles: ["agent"] },
  { id: "quill", name: "Quill", kind: "agent", roles: ["agent"] },
  { id: "abacus", name: "Abacus", kind: "agent", roles: ["agent"] },
  { id: "relay", name: "Relay", kind: "agent", roles: ["agent"] },

  { id: "ingrid", name: "Ingrid Sørensen", kind: "human", roles: ["supervisor"] },
  { id: "kofi", name: "Kofi Mensah", kind: "human", roles: ["lead"] },
  { id: "lena", name: "Lena Brandt", kind: "human", roles: ["lead"] },
  maker("amir", "Amir Haddad", 6, ["assembly"]),
  maker("bea", "Bea Kowalska", 8, ["wiring", "assembly"]),
  maker("chen", "Chen Wei", 5, ["finishing"]),
  maker("dario", "Dario Conti", 4, ["wiring"]),
  maker("elsa", "Elsa Nyström", 7, ["finishing", "assembly"]),
  maker("farid", "Farid Rahimi", 3, ["assembly"]),

  { id: "olga", name: "Ольга Смирнова", kind: "human", roles: ["admin"] },
  { id: "lumen-bot", name: "Lumen Bot", kind: "service", roles: ["agent"] },
  { id: "courier-1", name: "Courier 1", kind: "worker", roles: ["worker"] },
  { id: "courier-2", name: "Courier 2", kind: "worker", roles: ["worker"] },

  { id: "ada", name: "Ada Okafor", kind: "human", roles: ["agent"] },
  { id: "forge-1", name: "Forge 1", kind: "worker", roles: ["worker"] },
  { id: "forge-2", name: "Forge 2", kind: "worker", roles: ["worker"] },
  { id: "forge-3", name: "Forge 3", kind: "worker", roles: ["worker"] },

  { id: "irina", name: "Ирина Волкова", kind: "human", roles: ["agent"] },
  { id: "pavel", name: "Павел Орлов", kind: "human", roles: ["agent"] },
  { id: "sveta", name: "Света Ким", kind: "human", roles: ["agent"] },
];

/** Who works in which crew; the crews take turns. */
export const CREWS = [
  ["amir", "bea", "chen"],
  ["dario", "elsa", "farid"],
] as const;

/** Times are short, so that deadlines, leases and shifts end while somebody looks. */
export const PROJECTS: readonly NewProject[] = [
  {
    id: "main",
    name: "Lumen",
    settings: {
      board: { status_deadlines: { NEW: 12, IN_PROGRESS: 5, BLOCKED: 4 } },
      code: { lease_seconds: 40, claim_timeout_minutes: 2, progress_timeout_minutes: 5 },
      delivery: { recover_after_seconds: 45, stuck_after_seconds: 20 },
      planner: { min_skill_to_take: 3 },
    },
  },
  {
    id: "website",
    name: "Website",
    settings: { board: { status_deadlines: { NEW: 15, IN_PROGRESS: 6, BLOCKED: 6 } } },
  },
];

function maker(id: string, name: string, skill_level: number, specializations: string[]): NewMember {
  return { id, name, kind: "human", roles: ["executor"], skill_level, specializations };
}
