import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { TestRepository } from "./test-repository.ts";

/**
 * Writes a shell script with the name and the output format of Claude Code. Its functions: `session <id>` begins a session,
 * `spend <usd> <tokens>` ends it with its result. PAWL_SESSION is the session to continue. Returns the agent's command.
 */
export async function scriptedClaude({ folder }: TestRepository, script: string): Promise<string> {
  const bin = join(folder, "claude-bin");
  await mkdir(bin, { recursive: true });
  const functions = `#!/bin/sh
NOTES=${folder}
session() { echo '{"type":"system","subtype":"init","session_id":"'"$1"'","model":"opus"}'; }
spend() { echo '{"type":"result","total_cost_usd":'"$1"',"usage":{"input_tokens":'"$2"',"output_tokens":1}}'; }
`;
  await writeFile(join(bin, "claude"), `${functions}${script}\n`, { mode: 0o755 });
  return `${join(bin, "claude")} {prompt}`;
}

/** A shell command by which an agent asks a person. */
export const ASK = `node --input-type=module -e '
  const { PAWL_URL, PAWL_TOKEN, PAWL_TASK_ID } = process.env;
  const payload = { description: "Red or blue?", question: true };
  const body = JSON.stringify({ action: "report_obstacle", payload });
  const headers = { authorization: "Bearer " + PAWL_TOKEN, "content-type": "application/json" };
  await fetch(PAWL_URL + "/api/tasks/" + PAWL_TASK_ID + "/transitions", { method: "POST", headers, body });'`;
