import { EXIT } from "./exit-code.ts";
import type { ExitCode } from "./exit-code.ts";
import type { StartFlags, Started, Surroundings } from "./surroundings.ts";

/** `pawl start` */
export async function startServer({ out, serve }: Surroundings, flags: StartFlags): Promise<ExitCode> {
  out.keepGoing();
  await serve(flags, (started) => {
    out.write(`${[lineOf(started), ...demoLineOf(started)].join("\n")}\n`);
  });
  return EXIT.fine;
}

function lineOf({ address, adminToken }: Started): string {
  const token =
    adminToken === null
      ? "; `pawl tokens reset-admin` makes a token for the admin"
      : `; the admin's token ${adminToken.made ? "was made and is" : "is"} in ${adminToken.place}`;
  return `Pawl listens on ${address}${token}`;
}

/** Where nothing is, there is something to see all the same. */
function demoLineOf({ demo, empty, command }: Started): string[] {
  if (demo === "running")
    return ["The demo is at work: sign in with the admin's token, the overview leads into it"];
  if (demo === "stopped") return [`The demo rests: ${command} lets it go on, the overview removes it`];
  return demo === "absent" && empty
    ? [`Nothing is here yet: ${command} shows Pawl at work, and can be removed in one click`]
    : [];
}
