import { createClient, PawlProblem } from "../client/index.ts";
import type { Client } from "../client/index.ts";
import { MEMBERS, PROJECTS } from "./cast.ts";
import { Chance } from "./chance.ts";
import { playBoard } from "../lifecycles/board/demo/scene.ts";
import { playBotActions } from "../lifecycles/bot-actions/demo/scene.ts";
import { playCode } from "../lifecycles/code/demo/scene.ts";
import { playDelivery } from "../lifecycles/delivery/demo/scene.ts";
import { playPlanner } from "../lifecycles/planner/demo/scene.ts";
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
  /** Hears of what was refused, or went wrong: life goes on. */
  onMishap?: ((problem: PawlProblem) => void) | undefined;
};

const SCENES = [playBoard, playPlanner, playDelivery, playCode, playBotActions];

/** Lets everybody act until the signal, or until the demo is taken away from under them. Rejects for faults alone. */
export async function play(options: PlayOptions): Promise<void> {
  const { url, token, pace, signal, seed = Date.now(), onMishap = () => undefined } = options;
  try {
    const tokens = await setStage(createClient({ url, token, signal, retries: 2 }));
    const stage = new Stage({ url, tokens, pace, onMishap, chance: new Chance(seed) });
    signal.addEventListener("abort", stage.end);
    if (signal.aborted) stage.end();
    await stage.together(SCENES.map((scene) => scene(stage)));
  } catch (error) {
    if (!signal.aborted && !isDismissal(error)) throw error;
  }
}

/** Members and projects, made where they are not there yet, and a token for each member in place of his old ones. */
async function setStage(director: Client): Promise<Map<string, string>> {
  const { projects } = await director.listProjects({ limit: 200 });
  const places = new Set(projects.map(({ id }) => id));
  for (const project of PROJECTS)
    await (places.has(project.id) ? director.changeProject(project) : director.createProject(project));
  const { members } = await director.listMembers({ limit: 200 });
  const names = new Set(members.map(({ id }) => id));
  const tokens = new Map<string, string>();
  for (const member of MEMBERS) {
    const { id } = member;
    if (names.has(id)) await dismissTokens(director, id);
    else await director.createMember(member);
    tokens.set(id, (await director.createToken({ id })).token);
  }
  return tokens;
}

async function dismissTokens(director: Client, id: string): Promise<void> {
  const { tokens } = await director.listTokens({ id });
  for (const token of tokens) await director.revokeToken({ id: token.id });
}

/** Tokens are gone when the demo is. */
function isDismissal(error: unknown): boolean {
  return error instanceof PawlProblem && error.status === 401;
}
