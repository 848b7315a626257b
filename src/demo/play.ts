import { createClient, PawlProblem } from "../client/index.ts";
import type { DemoLanguage } from "../api/index.ts";
import type { Client } from "../client/index.ts";
import { valueIn } from "./demo-script.ts";
import type { DemoMember, DemoProject, DemoScript } from "./demo-script.ts";
import { Chance } from "./chance.ts";
import { Stage } from "./stage.ts";

export type PlayOptions = {
  /** The server's URL. */
  url: string;
  /** Token of an admin of the demo's org, who creates members and projects. */
  token: string;
  language: DemoLanguage;
  /** Speed of the demo; 1 is the pace of people. */
  pace: number;
  /** The same seed gives the same random choices. */
  seed?: number | undefined;
  /** Ends the demo. */
  signal: AbortSignal;
  scripts: readonly DemoScript[];
  /** Called with each refused or failed request; the demo continues. */
  onProblem?: ((problem: PawlProblem) => void) | undefined;
};

/** Plays all scripts until the signal, or until the demo is removed. Rejects only on unexpected errors. */
export async function play(options: PlayOptions): Promise<void> {
  const { url, token, language, pace, signal, scripts } = options;
  const { seed = Date.now(), onProblem = () => undefined } = options;
  try {
    const admin = createClient({ url, token, signal, retries: 2 });
    const tokens = await setStage(admin, scripts, language);
    const stage = new Stage({ url, tokens, language, pace, onProblem, chance: new Chance(seed) });
    signal.addEventListener("abort", stage.end);
    if (signal.aborted) stage.end();
    await stage.together(scripts.map(({ play: act }) => act(stage)));
  } catch (error) {
    if (!signal.aborted && !isDemoRemoved(error)) throw error;
  }
}

/** Creates missing members and projects, and replaces the tokens of each member. */
async function setStage(
  admin: Client,
  scripts: readonly DemoScript[],
  language: DemoLanguage,
): Promise<Map<string, string>> {
  const { projects } = await admin.listProjects({ limit: 200 });
  const projectIds = new Set(projects.map(({ id }) => id));
  for (const project of projectsIn(scripts, language))
    await (projectIds.has(project.id)
      ? admin.changeProject(project)
      : admin.createProject({ name: project.id, ...project }));
  const { members } = await admin.listMembers({ limit: 200 });
  const memberIds = new Set(members.map(({ id }) => id));
  const tokens = new Map<string, string>();
  for (const member of membersIn(scripts, language)) {
    const { id } = member;
    if (memberIds.has(id)) await revokeTokens(admin, id);
    else await admin.createMember(member);
    tokens.set(id, (await admin.createToken({ id })).token);
  }
  return tokens;
}

function membersIn(scripts: readonly DemoScript[], language: DemoLanguage): DemoMember[] {
  const members = scripts.flatMap((script) => valueIn(language, script.members));
  return [...new Map(members.map((member) => [member.id, member])).values()];
}

/** A project that several scripts name gets the settings of each. */
function projectsIn(scripts: readonly DemoScript[], language: DemoLanguage): DemoProject[] {
  const projects = new Map<string, DemoProject>();
  for (const project of scripts.flatMap((script) => valueIn(language, script.projects))) {
    const known = projects.get(project.id);
    projects.set(project.id, { ...known, ...project, settings: { ...known?.settings, ...project.settings } });
  }
  return [...projects.values()];
}

async function revokeTokens(admin: Client, id: string): Promise<void> {
  const { tokens } = await admin.listTokens({ id });
  for (const token of tokens) await admin.revokeToken({ id: token.id });
}

/** The tokens are gone once the demo is removed. */
function isDemoRemoved(error: unknown): boolean {
  return error instanceof PawlProblem && error.status === 401;
}
