import { StringDecoder } from "node:string_decoder";
import { notesText } from "./task-notes.ts";
import type { Note } from "./task-notes.ts";

export type PromptTask = {
  id: string;
  title: string;
  description: string | null;
  acceptance: string | null;
  last_error: string | null;
  review_request?: ReviewOfTask | null | undefined;
};

type ReviewOfTask = { state: string; commit: string; comment: string | null };

/** The whole prompt may be one argument of a command; Linux limits that to 131,072 bytes. */
const MAX_TEXT_BYTES = 50_000;
const MAX_ERROR_BYTES = 16_000;

/** Builds the prompt of an agent. */
export function promptOf(
  { id, title, description, acceptance, last_error, review_request: review = null }: PromptTask,
  {
    branch,
    target,
    verify,
    again,
    continued = false,
    notes = [],
  }: {
    branch: string;
    target: string;
    verify: string | null;
    again: boolean;
    /** The worktree has the work of the previous attempt. */
    continued?: boolean;
    notes?: readonly Note[];
  },
): string {
  const parts = [`# ${title}`];
  if (description) parts.push(cut(description, MAX_TEXT_BYTES));
  if (acceptance) parts.push(`## Acceptance\n\n${cut(acceptance, MAX_TEXT_BYTES)}`);
  if (again && last_error && review?.state !== "changes")
    parts.push(
      `## The previous attempt failed\n\n${startingPoint(target, continued)} This went wrong:\n\n${cut(last_error, MAX_ERROR_BYTES)}`,
    );
  else if (continued) parts.push("Your work on this task so far is in this worktree. Continue with it.");
  parts.push(...notesParts(notes), ...reviewParts(review));
  parts.push(instructions(id, branch, target, verify));
  return parts.join("\n\n");
}

function startingPoint(target: string, continued: boolean): string {
  return continued
    ? `The changes of that attempt are in this worktree, on top of the latest ${target}. Lines that conflict with ${target} are marked with <<<<<<< and >>>>>>>: resolve them. Continue with this work.`
    : `You start from a clean copy of ${target}, without the changes of that attempt.`;
}

/** The comments of people, with the answers to earlier questions. */
function notesParts(notes: readonly Note[]): string[] {
  return notes.length === 0 ? [] : [`## Comments on this task\n\n${notesText(notes, MAX_ERROR_BYTES)}`];
}

function reviewParts(review: ReviewOfTask | null): string[] {
  if (review?.state === "changes")
    return [
      `## Changes requested\n\nYour work was reviewed and is in this worktree. Change it as the reviewer asks; the result is reviewed again:\n\n${cut(review.comment ?? "", MAX_ERROR_BYTES)}`,
    ];
  if (review?.state === "redo")
    return [
      `Your earlier work on this task was reviewed, but could not be merged. It is commit ${review.commit}; use what fits.`,
    ];
  return [];
}

function instructions(id: string, branch: string, target: string, verify: string | null): string {
  return [
    "## How to work here",
    "",
    `You work alone in your own git worktree, on the branch ${branch}, which started at ${target}. Change only files in this worktree.`,
    `Committing is optional, and a sandbox may refuse it: uncommitted changes are committed for you. Everything is merged into ${target} when you end with exit code 0. Do not merge or push it yourself.`,
    ...(verify === null ? [] : [`It is merged only if this command succeeds: ${verify}`]),
    `The MCP server pawl_task, or pawl if there is no pawl_task, has tools for this task; its id is ${id} (PAWL_TASK_ID):`,
    "- If something outside of the task blocks you, report it with the tool `act`, action `report_obstacle`, describe it, and exit: the task waits until it is cleared.",
    '- If you need a decision from a person, ask in the same way, with `"question": true` in the payload: the answer is in your next prompt.',
    "- Create a new task for work that is not part of this one: tool `create_tasks`, lifecycle `code`.",
    "- Notes for the people who read this task: tool `comment`.",
  ].join("\n");
}

function cut(text: string, maxBytes: number): string {
  const bytes = Buffer.from(text);
  if (bytes.length <= maxBytes) return text;
  // Whole characters only.
  return `${new StringDecoder("utf8").write(bytes.subarray(0, maxBytes))}\n…`;
}
