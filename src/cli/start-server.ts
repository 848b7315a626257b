import { EXIT } from "./exit-code.ts";
import type { ExitCode } from "./exit-code.ts";
import type { StartFlags, Started, CliEnvironment } from "./cli-environment.ts";

/** `pawl start` */
export async function startServer({ out, serve }: CliEnvironment, flags: StartFlags): Promise<ExitCode> {
  out.ignoreWriteErrors();
  await serve(flags, (started) => {
    out.write(`${[lineOf(started), ...linkLinesOf(started), ...demoLineOf(started)].join("\n")}\n`);
  });
  return EXIT.fine;
}

function lineOf({ address, adminToken }: Started): string {
  const token =
    adminToken === null
      ? "; `pawl tokens reset-admin` creates an admin token"
      : `; the ${adminToken.created ? "new admin token" : "admin token"} is in ${adminToken.location}`;
  return `Pawl listens on ${address}${token}`;
}

function linkLinesOf({ loginLink }: Started): string[] {
  return loginLink === null ? [] : [`Sign in within 10 minutes: ${loginLink}`];
}

/** Describes the demo; offers it if there are no tasks yet. */
function demoLineOf({ demo, empty, command }: Started): string[] {
  if (demo === "running") return ["The demo is running: sign in and open it from the overview"];
  if (demo === "stopped") return [`The demo is stopped: ${command} resumes it, the overview removes it`];
  return demo === "absent" && empty ? [`No tasks yet: ${command} adds a demo, removable with one click`] : [];
}
