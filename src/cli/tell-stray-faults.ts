import { EXIT } from "./exit-code.ts";
import type { Surroundings } from "./surroundings.ts";
import { tell } from "./tell-fault.ts";

/**
 * Some faults belong to no command: a full disk refuses the output after it was handed over, a timer of the
 * user's configuration throws. Node would print a stack; whoever wants it sets PAWL_DEBUG.
 */
export function tellStrayFaults({ err, debug }: Surroundings): void {
  process.once("uncaughtException", (error: NodeJS.ErrnoException) => {
    err.write(tell(err, [sentenceOf(error)]));
    if (debug) err.write(`${error.stack ?? ""}\n`);
    process.exit(EXIT.finding);
  });
}

function sentenceOf(error: unknown): string {
  const [what = ""] = (error instanceof Error ? error.message : String(error)).split("\n");
  return error instanceof Error && "syscall" in error && error.syscall === "write"
    ? `the output cannot be written (${what}).`
    : `something that the configuration started has failed (${what}).`;
}
