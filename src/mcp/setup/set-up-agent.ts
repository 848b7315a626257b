import { createClient, PawlProblem } from "../../client/index.ts";
import type { Client } from "../../client/index.ts";
import { CONFIG_FILES, editGuide } from "./agent-files.ts";
import type { AgentHost, Reach } from "./agent-files.ts";

export type SetUpOptions = {
  host: AgentHost;
  /** The member that the agent acts as. */
  member: string;
  roles: readonly string[];
  /** A client with an admin's token. */
  admin: Client;
  /** Address of the server. */
  url: string;
  /** The process that the client starts; null to connect over HTTP. */
  command: Extract<Reach, { command: string }> | null;
  /** Stores the member's token, so that a second run reuses it. */
  token: { path: string; read: () => Promise<string | null>; write: (token: string) => Promise<void> };
  /** The project's files, by relative path. */
  files: {
    read: (path: string) => Promise<string | null>;
    write: (path: string, text: string, options: { secret: boolean }) => Promise<void>;
  };
  /** Otherwise nothing is changed, neither on the server nor in files: the report describes what would be done. */
  writes: boolean;
};

export type SetUpReport = {
  member: { id: string; state: "added" | "exists" | "not added" };
  /** `path`: the file with the token. */
  token: { path: string; state: "created" | "exists" | "not created" };
  files: {
    path: string;
    text: string;
    state: "written" | "as it was" | "not written";
    holds_token: boolean;
  }[];
};

/** Sets up an agent: a member, a token, and the files by which its client finds Pawl. Can be repeated. */
export async function setUpAgent(options: SetUpOptions): Promise<SetUpReport> {
  const { host, member, command, url, files, writes, token: store } = options;
  const config = CONFIG_FILES[host];
  // Checked first: a file that cannot be edited must not leave a token behind.
  const before = await files.read(config.path);
  config.edit({ command: "", args: [] })(before, config.path);
  const memberState = await ensureMember(options);
  const token = await ensureToken(options);
  const reach = command ?? { url: url.replace(/\/+$/, ""), token: token.token ?? `<the token of ${member}>` };
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
  return {
    member: { id: member, state: memberState },
    token: { path: store.path, state: token.state },
    files: report,
  };
}

const GUIDE_PATH = "AGENTS.md";

async function ensureMember({
  admin,
  member,
  roles,
  writes,
}: SetUpOptions): Promise<SetUpReport["member"]["state"]> {
  try {
    await admin.getMember({ id: member });
    return "exists";
  } catch (error) {
    if (!(error instanceof PawlProblem && error.status === 404)) throw error;
  }
  if (!writes) return "not added";
  try {
    await admin.createMember({ id: member, name: member, kind: "agent", roles: [...roles] });
    return "added";
  } catch (error) {
    // Another process has just created the member.
    if (error instanceof PawlProblem && error.code === "ALREADY_EXISTS") return "exists";
    throw error;
  }
}

/** Returns the stored token if it still belongs to the member, else a new one. */
async function ensureToken({
  admin,
  member,
  url,
  token: store,
  writes,
}: SetUpOptions): Promise<{ token: string | null; state: SetUpReport["token"]["state"] }> {
  const before = await store.read();
  if (before !== null && (await memberOfToken(url, before)) === member)
    return { token: before, state: "exists" };
  if (!writes) return { token: null, state: "not created" };
  const { token } = await admin.createToken({ id: member });
  await store.write(token);
  return { token, state: "created" };
}

/** null if the token was revoked. */
async function memberOfToken(url: string, token: string): Promise<string | null> {
  try {
    return (await createClient({ url, token, retries: 2 }).getMe()).id;
  } catch (error) {
    if (error instanceof PawlProblem && error.code === "INVALID_TOKEN") return null;
    throw error;
  }
}
