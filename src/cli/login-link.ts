import { atServer } from "./at-server.ts";
import { oneLine } from "./display-width.ts";
import type { ExitCode } from "./exit-code.ts";
import { print } from "./print.ts";
import type { ConnectFlags, CliEnvironment } from "./cli-environment.ts";

/** `pawl login-link [member]` */
export function printLoginLink(
  environment: CliEnvironment,
  { member, json, ...flags }: ConnectFlags & { member?: string; json?: true },
): Promise<ExitCode> {
  return atServer(environment, flags, async ({ client, target }) => {
    const id = member ?? (await client.getMe()).id;
    const { path, url, expires_at } = await client.createLoginLink({ id });
    const link = url ?? new URL(path, target.url).href;
    const text = () => `Signs ${oneLine(id)} in once, within 10 minutes:\n${link}`;
    return print(environment.out, { json, value: { member: id, link, expires_at }, text });
  });
}
