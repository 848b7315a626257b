import { hostname } from "node:os";
import { EXIT, Fault } from "../../../cli/kit.ts";
import { PawlProblem } from "../../../client/index.ts";
import type { Client } from "../../../client/index.ts";

export type WorkerToken = { token: string; letGo: () => Promise<void> };

/** A token that may claim tasks: the caller's own, or for an admin one of a worker that is made for this machine. */
export async function workerToken(client: Client, token: string | null): Promise<WorkerToken> {
  const { id, roles } = await client.getMe();
  if (token !== null && roles.includes("worker")) return { token, letGo: () => Promise.resolve() };
  if (!roles.includes("admin"))
    throw new Fault(EXIT.token, `"${id}" is no worker: only members with the role worker take tasks.`, {
      more: [
        "An admin makes one: `pawl members create coder --kind worker --role worker`, then `pawl tokens create coder`.",
      ],
      document: { code: "FORBIDDEN" },
    });
  const member = `coder-${hostname().replaceAll(/[^\w.-]/g, "-")}`.slice(0, 100);
  await client
    .createMember({ id: member, name: `Coding agents on ${hostname()}`, kind: "worker", roles: ["worker"] })
    .catch((error: unknown) => {
      if (!(error instanceof PawlProblem) || error.code !== "ALREADY_EXISTS") throw error;
    });
  const made = await client.createToken({ id: member });
  return {
    token: made.token,
    letGo: async () => {
      await client.revokeToken({ id: made.id }).catch(() => undefined);
    },
  };
}
