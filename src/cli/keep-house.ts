import { chosenId } from "../api/index.ts";
import { PawlError } from "../core/index.ts";
import { EXIT } from "./exit-code.ts";
import type { ExitCode } from "./exit-code.ts";
import type { ServerFlags, Surroundings } from "./surroundings.ts";
import { jsonText } from "./terminal-text.ts";

/** `pawl orgs create <id>` */
export async function createOrg(
  { out, house }: Surroundings,
  { id, json, ...flags }: ServerFlags & { id: string; json?: true },
): Promise<ExitCode> {
  const parsed = chosenId.safeParse(id);
  if (!parsed.success)
    throw new PawlError(
      "INVALID_CONFIG",
      `The id ${JSON.stringify(id)} ${parsed.error.issues[0]?.message ?? ""}.`,
    );
  const token = await house.createOrg(parsed.data, flags);
  out.write(
    json
      ? `${jsonText({ id, token })}\n`
      : `The org "${id}" is there, with a project "main". Its admin's token, shown only now:\n${token}\n`,
  );
  return EXIT.fine;
}

/** `pawl tokens reset-admin` */
export async function resetAdmin(
  { out, house }: Surroundings,
  { org, json, ...flags }: ServerFlags & { org: string; json?: true },
): Promise<ExitCode> {
  const { token, file } = await house.resetAdmin(org, flags);
  const told =
    file === null
      ? `A new token for the admin of "${org}", shown only now:\n${token}`
      : `The admin's new token is in ${file}`;
  out.write(json ? `${jsonText({ org, token, file })}\n` : `${told}\n`);
  return EXIT.fine;
}
