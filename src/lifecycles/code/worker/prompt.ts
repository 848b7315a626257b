import { StringDecoder } from "node:string_decoder";

export type Asked = {
  id: string;
  title: string;
  description: string | null;
  acceptance: string | null;
  last_error: string | null;
};

/** In bytes. All of it may have to be one argument of a command, and Linux lets that have 131,072. */
const LONGEST_TEXT = 50_000;
const LONGEST_ERROR = 16_000;

/** What the agent is asked. */
export function promptOf(
  { id, title, description, acceptance, last_error }: Asked,
  {
    branch,
    target,
    verify,
    again,
  }: { branch: string; target: string; verify: string | null; again: boolean },
): string {
  const parts = [`# ${title}`];
  if (description) parts.push(cut(description, LONGEST_TEXT));
  if (acceptance) parts.push(`## It is done when\n\n${cut(acceptance, LONGEST_TEXT)}`);
  if (again && last_error)
    parts.push(
      `## The attempt before this one failed\n\nYou start from a clean copy of ${target}; nothing of that attempt is here. This is what went wrong:\n\n${cut(last_error, LONGEST_ERROR)}`,
    );
  parts.push(howTo(id, branch, target, verify));
  return parts.join("\n\n");
}

function howTo(id: string, branch: string, target: string, verify: string | null): string {
  return [
    "## How to work here",
    "",
    `You are alone in a git worktree of your own, on the branch ${branch}, which began at ${target}. Change what the task asks for, here and nowhere else.`,
    `Committing is optional, and a sandbox may refuse it: what you leave uncommitted is committed for you. Everything is merged into ${target} when you end with exit code 0. Do not merge or push it yourself.`,
    ...(verify === null ? [] : [`It is merged only if this command ends well: ${verify}`]),
    `The MCP server pawl_task, or pawl where there is no pawl_task, has tools for this task; its id is ${id} (PAWL_TASK_ID):`,
    "- If something outside of the task stands in your way, report it with the tool `act`, action `report_obstacle`, say what it is, and end: the task waits until it is cleared away.",
    "- Work that you find and that is not part of the task becomes a task of its own: tool `create_tasks`, lifecycle `code`.",
    "- Notes for the people who read this task: tool `comment`.",
  ].join("\n");
}

function cut(text: string, mostBytes: number): string {
  const bytes = Buffer.from(text);
  if (bytes.length <= mostBytes) return text;
  // Whole characters only.
  return `${new StringDecoder("utf8").write(bytes.subarray(0, mostBytes))}\n…`;
}
