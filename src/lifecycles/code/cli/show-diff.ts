import { atServer, count, findTaskId, print } from "../../../plugin/index.ts";
import type { CliEnvironment, ConnectFlags, ExitCode, Screen } from "../../../plugin/index.ts";
import { CODE_ROUTES } from "../api.ts";
import type { CodeDiff } from "../api.ts";

/** `pawl code diff <id>`: prints the changes of the latest attempt, in a form that `git apply` accepts. */
export function showDiff(
  environment: CliEnvironment,
  { id: typed, ...flags }: ConnectFlags & { json?: true; id: string },
): Promise<ExitCode> {
  const { out, err } = environment;
  return atServer(environment, flags, async ({ client }) => {
    const diff = await client.calls(CODE_ROUTES).readCodeDiff({ id: await findTaskId(client, typed) });
    const status = print(out, { json: flags.json, value: diff, text: () => coloured(diff.diff, out) });
    if (!flags.json) err.write(`${err.colours.dim(summaryOf(diff))}\n`);
    return status;
  });
}

function summaryOf({ files, added, removed, commit, truncated }: CodeDiff): string {
  const text = `${count(files, "file")} changed, +${added} −${removed}, commit ${commit.slice(0, 12)}`;
  return truncated ? `${text}. The diff is too long: the rest is in the worker's repository.` : text;
}

/** Colours a diff as git does; headers of a file are bold. */
function coloured(diff: string, { colours: { bold, cyan, green, red } }: Screen): string {
  let inHunk = false;
  const lines = diff.split("\n").map((line) => {
    if (line.startsWith("diff --git ")) inHunk = false;
    if (line.startsWith("@@ ")) inHunk = true;
    if (!inHunk) return line === "" ? line : bold(line);
    if (line.startsWith("@@ ")) return cyan(line);
    return line.startsWith("+") ? green(line) : line.startsWith("-") ? red(line) : line;
  });
  return lines.join("\n").replace(/\n$/, "");
}
