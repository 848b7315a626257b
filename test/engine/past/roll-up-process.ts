// Rolls up one org in a separate process: `node --import tsx roll-up-process.ts <database url> <org>`.
import { definePlugin, openPawl } from "../../../src/main/index.ts";
import { visit } from "./visit.ts";

const [, , url = "", org_id = ""] = process.argv;
const pawl = await openPawl({
  url,
  applicationName: "killed node",
  plugins: [definePlugin({ lifecycle: visit })],
  sweepSeconds: 0,
  reconcileSeconds: 0,
  inboxSeconds: 0,
  insightsSeconds: 0,
});
await pawl.engine.past.rollUp({ org_id, batch: 50 });
await pawl.close();
