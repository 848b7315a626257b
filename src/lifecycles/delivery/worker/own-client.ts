import { createClient, PawlProblem } from "../../../client/index.ts";
import type { Client } from "../../../client/index.ts";
import { PawlError } from "../../../core/index.ts";
import type { TokenStore } from "./storage/yandex-tokens.ts";

type Me = Awaited<ReturnType<Client["getMe"]>>;

/** Whom a process acts as. */
export type Part = {
  member: { id: string; kind: "service" | "worker"; roles: string[] };
  /** Whether somebody can act as himself. */
  suits: (me: Me) => boolean;
  wants: string;
};

export const BOT: Part = {
  member: { id: "delivery-bot", kind: "service", roles: ["agent"] },
  suits: ({ kind, roles }) => kind === "service" && roles.some((role) => role !== "viewer"),
  wants: "of the kind service with a role (`--kind service --roles agent`)",
};

export const WORKER: Part = {
  member: { id: "delivery-worker", kind: "worker", roles: ["worker"] },
  suits: ({ roles }) => roles.includes("worker"),
  wants: "with the role worker",
};

type Found = { client: Client; url: string; kept: TokenStore; signal: AbortSignal };

/**
 * A client for one of delivery's processes: in its own name where the token is one of a fitting member, otherwise, for an
 * admin, in the name of a member that is made for it, whose token is kept beside the data.
 */
export async function ownClient(
  part: Part,
  { client, url, kept, signal }: Found,
): Promise<{ client: Client; me: Me }> {
  const me = await client.getMe(undefined, { signal });
  if (part.suits(me)) return { client, me };
  if (!me.roles.includes("admin"))
    throw new PawlError("INVALID_CONFIG", `${me.id} cannot do this: it is for a member ${part.wants}.`);
  const before = await kept.read();
  const known = before === null ? null : await meOf(createClient({ url, token: before }));
  if (before !== null && known && part.suits(known))
    return { client: createClient({ url, token: before }), me: known };
  const { member } = part;
  await client.createMember({ ...member, name: member.id }).catch(unlessThere);
  const { token } = await client.createToken({ id: member.id });
  await kept.write(token);
  const own = createClient({ url, token });
  const made = await own.getMe();
  if (part.suits(made)) return { client: own, me: made };
  throw new PawlError(
    "INVALID_CONFIG",
    `The member ${member.id} is there already, and is not one ${part.wants}.`,
  );
}

/** null: the token is nobody's any more. */
async function meOf(client: Client): Promise<Me | null> {
  try {
    return await client.getMe();
  } catch (error) {
    if (error instanceof PawlProblem && error.status === 401) return null;
    throw error;
  }
}

function unlessThere(error: unknown): void {
  if (!(error instanceof PawlProblem && error.code === "ALREADY_EXISTS")) throw error;
}
