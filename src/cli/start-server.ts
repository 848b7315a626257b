import { EXIT } from "./exit-code.ts";
import type { ExitCode } from "./exit-code.ts";
import type { ServerFlags, Started, Surroundings } from "./surroundings.ts";

/** `pawl start` */
export async function startServer({ out, serve }: Surroundings, flags: ServerFlags): Promise<ExitCode> {
  await serve(flags, (started) => {
    out.write(`${lineOf(started)}\n`);
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
