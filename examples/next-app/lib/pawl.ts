import { openPawl } from "pawl";
import { request } from "./request.ts";

type Office = Awaited<ReturnType<typeof openOffice>>;

// Next bundles pages, actions and route handlers apart, and loads them again during development: without the global object,
// each bundle would open its own engine.
const global = globalThis as { office?: Promise<Office> | undefined };

/** Returns the engine and its client, opened by the first request. A failed attempt is repeated by the next one. */
export function office(): Promise<Office> {
  global.office ??= openOffice().catch((error: unknown) => {
    global.office = undefined;
    throw error;
  });
  return global.office;
}

async function openOffice() {
  // Without DATABASE_URL, Pawl runs its own PostgreSQL, with its data in `.pawl`.
  const url = process.env.DATABASE_URL;
  const pawl = await openPawl({ ...(url ? { url } : { data: ".pawl" }), plugins: [request] });
  // An app with users creates a member for each, and calls `pawl.as` with the user of the session.
  await pawl.createMember({ id: "office", kind: "service", roles: ["agent"] });
  return pawl.client(await pawl.as("office"));
}
