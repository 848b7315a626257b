// Runs a node in a separate process: `node --import tsx inbox-node-process.ts <database url>`.
import { board } from "../../../src/lifecycles/board/index.ts";
import { openPawl } from "../../../src/main/index.ts";
import { slowNote } from "./slow-note.ts";

const [, , url = ""] = process.argv;
const pawl = await openPawl({
  url,
  plugins: [board, slowNote],
  sweepSeconds: 0,
  reconcileSeconds: 0,
  inboxSeconds: 0.05,
});
process.on("disconnect", () => void pawl.close());
process.send?.("ready");
