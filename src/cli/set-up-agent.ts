import { atServer } from "./at-server.ts";
import type { ExitCode } from "./exit-code.ts";
import { print } from "./print.ts";
import type { AgentHost, AgentSetUp, ReachFlags, Surroundings } from "./surroundings.ts";

export type SetUpFlags = ReachFlags & {
  member?: string;
  roles?: string[];
  http?: true;
  write?: true;
  json?: true;
};

/** `pawl setup <client>` */
export function setUpAgent(
  surroundings: Surroundings,
  {
    host,
    json,
    write = false,
    http = false,
    ...flags
  }: Omit<SetUpFlags, "write" | "http"> & {
    host: AgentHost;
    write?: boolean;
    http?: boolean;
  },
): Promise<ExitCode> {
  const { member = host === "generic" ? "agent" : host, roles = ["agent"], data } = flags;
  return atServer(surroundings, flags, async ({ client, place }) => {
    const asked = { host, member, roles, admin: client, place, http, write };
    const report = await surroundings.agents.setUp({ ...asked, ...(data === undefined ? {} : { data }) });
    return print(surroundings.out, { json, value: report, text: () => told(report, write) });
  });
}

function told({ member, token, files }: AgentSetUp, write: boolean): string {
  const lines = [
    `Member ${member.id}: ${member.made ? "added" : "was there"}.`,
    `Token: ${token.made ? "made and kept" : "kept"} in ${token.path}.`,
    ...files.flatMap(({ path, text, state }) =>
      write
        ? [`${path}: ${state}.`]
        : ["", `${path}${state === "as it was" ? " (is so already)" : ""}:`, "", text.trimEnd()],
    ),
  ];
  const secret = files.find(({ holds_token }) => holds_token);
  if (secret) lines.push("", `${secret.path} holds the token: keep it out of version control.`);
  lines.push(
    "",
    write ? "Restart the client to see its new tools." : "Nothing of this was written; --write does.",
  );
  return lines.join("\n");
}
