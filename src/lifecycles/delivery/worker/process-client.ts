import { createClient, PawlProblem } from "../../../client/index.ts";
import type { Client } from "../../../client/index.ts";
import { PawlError } from "../../../core/index.ts";

/** Stores a secret of a process on its machine. */
export type SecretStore = { read: () => Promise<string | null>; write: (text: string) => Promise<void> };

type Me = Awaited<ReturnType<Client["getMe"]>>;

/** The member that a process acts as. */
export type ProcessRole = {
  member: { id: string; kind: "service" | "worker"; roles: string[] };
  /** Returns whether an existing member can be used instead. */
  accepts: (me: Me) => boolean;
  requirement: string;
};

export const BOT: ProcessRole = {
  member: { id: "delivery-bot", kind: "service", roles: ["agent"] },
  accepts: ({ kind, roles }) => kind === "service" && roles.some((name) => name !== "viewer"),
  requirement: "of kind service with a role other than viewer (`--kind service --roles agent`)",
};

export const WORKER: ProcessRole = {
  member: { id: "delivery-worker", kind: "worker", roles: ["worker"] },
  accepts: ({ roles }) => roles.includes("worker"),
  requirement: "with the role worker",
};

type ClientOptions = { client: Client; url: string; store: SecretStore; signal: AbortSignal };

/**
 * Returns a client for the bot or the worker. A token of a suitable member is used as it is. With an admin's token, a member
 * is created for the process, and its token is stored in the data folder.
 */
export async function processClient(
  role: ProcessRole,
  { client, url, store, signal }: ClientOptions,
): Promise<{ client: Client; me: Me }> {
  const me = await client.getMe(undefined, { signal });
  if (role.accepts(me)) return { client, me };
  if (!me.roles.includes("admin"))
    throw new PawlError(
      "INVALID_CONFIG",
      `${me.id} cannot run this process. Use the token of an admin, or of a member ${role.requirement}.`,
    );
  const storedToken = await store.read();
  const storedMember =
    storedToken === null ? null : await memberOf(createClient({ url, token: storedToken }));
  if (storedToken !== null && storedMember && role.accepts(storedMember))
    return { client: createClient({ url, token: storedToken }), me: storedMember };
  const { member } = role;
  await client.createMember({ ...member, name: member.id }).catch(ignoreExisting);
  const { token } = await client.createToken({ id: member.id });
  await store.write(token);
  const newClient = createClient({ url, token });
  const newMember = await newClient.getMe();
  if (role.accepts(newMember)) return { client: newClient, me: newMember };
  throw new PawlError(
    "INVALID_CONFIG",
    `The member ${member.id} exists already, but is not a member ${role.requirement}.`,
  );
}

/** Returns the member of a token; null if the token is invalid. */
async function memberOf(client: Client): Promise<Me | null> {
  try {
    return await client.getMe();
  } catch (error) {
    if (error instanceof PawlProblem && error.status === 401) return null;
    throw error;
  }
}

function ignoreExisting(error: unknown): void {
  if (!(error instanceof PawlProblem && error.code === "ALREADY_EXISTS")) throw error;
}
