import { chosenId } from "../api/index.ts";
import { PawlError } from "../core/index.ts";
import { EXIT } from "./exit-code.ts";
import type { ExitCode } from "./exit-code.ts";
import type { ServerFlags, CliEnvironment } from "./cli-environment.ts";
import { jsonText } from "./terminal-text.ts";

/** `pawl orgs create <id>` */
export async function createOrg(
  { out, admin }: CliEnvironment,
  { id, json, ...flags }: ServerFlags & { id: string; json?: true },
): Promise<ExitCode> {
  const parsed = chosenId.safeParse(id);
  if (!parsed.success)
    throw new PawlError(
      "VALIDATION_ERROR",
      `The id ${JSON.stringify(id)} ${parsed.error.issues[0]?.message ?? ""}.`,
    );
  const token = await admin.createOrg(parsed.data, flags);
  out.write(
    json
      ? `${jsonText({ id, token })}\n`
      : `Created the org "${id}" with the project "main". Its admin token, shown only now:\n${token}\n`,
  );
  return EXIT.fine;
}

/** `pawl tokens reset-admin` */
export async function resetAdmin(
  { out, admin }: CliEnvironment,
  { org, json, ...flags }: ServerFlags & { org: string; json?: true },
): Promise<ExitCode> {
  const { token, file } = await admin.resetAdmin(org, flags);
  const text =
    file === null
      ? `The new admin token of "${org}", shown only now:\n${token}`
      : `The new admin token is in ${file}`;
  out.write(json ? `${jsonText({ org, token, file })}\n` : `${text}\n`);
  return EXIT.fine;
}
