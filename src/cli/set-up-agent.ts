import { atServer } from "./at-server.ts";
import type { ExitCode } from "./exit-code.ts";
import { print } from "./print.ts";
import type { AgentHost, AgentSetupReport, ConnectFlags, CliEnvironment } from "./cli-environment.ts";

export type SetUpFlags = ConnectFlags & {
  member?: string;
  roles?: string[];
  http?: true;
  write?: true;
  json?: true;
};

/** `pawl setup <client>` */
export function setUpAgent(
  environment: CliEnvironment,
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
  return atServer(environment, flags, async ({ client, target }) => {
    const options = { host, member, roles, admin: client, target, http, write };
    const report = await environment.agents.setUp({ ...options, ...(data === undefined ? {} : { data }) });
    return print(environment.out, { json, value: report, text: () => setupText(report, write) });
  });
}

function setupText({ member, token, files }: AgentSetupReport, write: boolean): string {
  const lines = [
    `Member ${member.id}: ${MEMBER_TEXTS[member.state]}.`,
    `Token: ${TOKEN_TEXTS[token.state]} in ${token.path}.`,
    ...files.flatMap(({ path, text, state }) =>
      write
        ? [`${path}: ${state === "as it was" ? "unchanged" : state}.`]
        : [
            "",
            `${path} ${state === "as it was" ? "already contains" : "would contain"}:`,
            "",
            text.trimEnd(),
          ],
    ),
  ];
  const secret = files.find(({ holds_token }) => holds_token);
  if (secret) lines.push("", `${secret.path} contains the token: keep it out of version control.`);
  lines.push(
    "",
    write
      ? "Restart the client to load its new tools."
      : "Nothing was changed. Add --write to do it: it adds the member, creates the token and writes the files.",
  );
  return lines.join("\n");
}

const MEMBER_TEXTS = { added: "added", exists: "already exists", "not added": "would be added" };
const TOKEN_TEXTS = {
  created: "created, stored",
  exists: "stored",
  "not created": "would be created and stored",
};
