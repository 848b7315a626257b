import { createClient, PawlProblem } from "../client/index.ts";
import type { Client } from "../client/index.ts";
import type { DemoScript, NewMember, NewProject } from "./demo-script.ts";
import { Chance } from "./chance.ts";
import { Stage } from "./stage.ts";

export type PlayOptions = {
  /** Where the server is. */
  url: string;
  /** Of an admin of the demo's org, who sets the stage. */
  token: string;
  /** How fast everybody is; 1 is a human's pace. */
  pace: number;
  /** The same seed gives the same chances. */
  seed?: number | undefined;
  /** The end of the play. */
  signal: AbortSignal;
  scripts: readonly DemoScript[];
  /** Hears of what was refused, or went wrong: life goes on. */
  onMishap?: ((problem: PawlProblem) => void) | undefined;
};

/** Lets everybody act until the signal, or until the demo is taken away from under them. Rejects for faults alone. */
export async function play(options: PlayOptions): Promise<void> {
  const { url, token, pace, signal, scripts, seed = Date.now(), onMishap = () => undefined } = options;
  try {
    const tokens = await setStage(createClient({ url, token, signal, retries: 2 }), scripts);
    const stage = new Stage({ url, tokens, pace, onMishap, chance: new Chance(seed) });
    signal.addEventListener("abort", stage.end);
    if (signal.aborted) stage.end();
    await stage.together(scripts.map(({ play: act }) => act(stage)));
  } catch (error) {
    if (!signal.aborted && !isDismissal(error)) throw error;
  }
}

/** Members and projects, made where they are not there yet, and a token for each member in place of his old ones. */
async function setStage(director: Client, scripts: readonly DemoScript[]): Promise<Map<string, string>> {
  const { projects } = await director.listProjects({ limit: 200 });
  const places = new Set(projects.map(({ id }) => id));
  for (const project of projectsIn(scripts))
    await (places.has(project.id)
      ? director.changeProject(project)
      : director.createProject({ name: project.id, ...project }));
  const { members } = await director.listMembers({ limit: 200 });
  const names = new Set(members.map(({ id }) => id));
  const tokens = new Map<string, string>();
  for (const member of membersIn(scripts)) {
    const { id } = member;
    if (names.has(id)) await dismissTokens(director, id);
    else await director.createMember(member);
    tokens.set(id, (await director.createToken({ id })).token);
  }
  return tokens;
}

function membersIn(scripts: readonly DemoScript[]): NewMember[] {
  return [
    ...new Map(scripts.flatMap(({ members }) => members).map((member) => [member.id, member])).values(),
  ];
}

/** A project that several scripts name has the settings of each. */
function projectsIn(scripts: readonly DemoScript[]): NewProject[] {
  const projects = new Map<string, NewProject>();
  for (const project of scripts.flatMap((script) => script.projects)) {
    const known = projects.get(project.id);
    projects.set(project.id, { ...known, ...project, settings: { ...known?.settings, ...project.settings } });
  }
  return [...projects.values()];
}

async function dismissTokens(director: Client, id: string): Promise<void> {
  const { tokens } = await director.listTokens({ id });
  for (const token of tokens) await director.revokeToken({ id: token.id });
}

/** Tokens are gone when the demo is. */
function isDismissal(error: unknown): boolean {
  return error instanceof PawlProblem && error.status === 401;
}
