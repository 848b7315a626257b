import { createClient, PawlProblem } from "../../client/index.ts";
import type { Client } from "../../client/index.ts";
import { CONFIG_FILES, editGuide } from "./agent-files.ts";
import type { AgentHost, Reach } from "./agent-files.ts";

export type SetUpOptions = {
  host: AgentHost;
  /** Whom the agent acts as. */
  member: string;
  roles: readonly string[];
  /** An admin's. */
  admin: Client;
  /** Where the server is. */
  url: string;
  /** The process that the client is to start; over HTTP instead where none is given. */
  command: Extract<Reach, { command: string }> | null;
  /** Where the member's token is kept, so that a second run needs no second token. */
  token: { path: string; read: () => Promise<string | null>; write: (token: string) => Promise<void> };
  /** The project's files, by their path in it. */
  files: {
    read: (path: string) => Promise<string | null>;
    write: (path: string, text: string, options: { secret: boolean }) => Promise<void>;
  };
  /** Write the files; otherwise only say what would stand in them. */
  writes: boolean;
};

export type SetUpReport = {
  member: { id: string; made: boolean };
  token: { path: string; made: boolean };
  files: {
    path: string;
    text: string;
    state: "written" | "as it was" | "not written";
    holds_token: boolean;
  }[];
};

/** Makes a place for an agent: a member, a token, and the files by which its client finds Pawl. May be run again. */
export async function setUpAgent(options: SetUpOptions): Promise<SetUpReport> {
  const { host, member, command, url, files, writes, token: kept } = options;
  const config = CONFIG_FILES[host];
  // Before anything is made: a file that cannot be mended by us must not leave a token behind.
  const before = await files.read(config.path);
  config.edit({ command: "", args: [] })(before, config.path);
  const made = await ensureMember(options);
  const token = await ensureToken(options);
  const reach = command ?? { url: url.replace(/\/+$/, ""), token: token.token };
  const guide = await files.read(GUIDE_PATH);
  const wanted = [
    {
      path: config.path,
      before,
      text: config.edit(reach)(before, config.path),
      holds_token: command === null,
    },
    { path: GUIDE_PATH, before: guide, text: editGuide(guide), holds_token: false },
  ];
  const report: SetUpReport["files"] = [];
  for (const { path, before: old, text, holds_token } of wanted) {
    if (writes && text !== old) await files.write(path, text, { secret: holds_token });
    const state = text === old ? "as it was" : writes ? "written" : "not written";
    report.push({ path, text, state, holds_token });
  }
  return { member: { id: member, made }, token: { path: kept.path, made: token.made }, files: report };
}

const GUIDE_PATH = "AGENTS.md";

async function ensureMember({ admin, member, roles }: SetUpOptions): Promise<boolean> {
  try {
    await admin.getMember({ id: member });
    return false;
  } catch (error) {
    if (!(error instanceof PawlProblem && error.status === 404)) throw error;
  }
  try {
    await admin.createMember({ id: member, name: member, kind: "agent", roles: [...roles] });
    return true;
  } catch (error) {
    // Somebody else has just done the same.
    if (error instanceof PawlProblem && error.code === "ALREADY_EXISTS") return false;
    throw error;
  }
}

/** The token that is kept, if it is still the member's; a new one otherwise. */
async function ensureToken({ admin, member, url, token: kept }: SetUpOptions) {
  const before = await kept.read();
  if (before !== null && (await whoseIs(url, before)) === member) return { token: before, made: false };
  const { token } = await admin.createToken({ id: member });
  await kept.write(token);
  return { token, made: true };
}

/** null: nobody's any more. */
async function whoseIs(url: string, token: string): Promise<string | null> {
  try {
    return (await createClient({ url, token, retries: 2 }).getMe()).id;
  } catch (error) {
    if (error instanceof PawlProblem && error.code === "INVALID_TOKEN") return null;
    throw error;
  }
}
