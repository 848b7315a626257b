import { setTimeout as pause } from "node:timers/promises";
import { createApp } from "./app.ts";
import { startPacker } from "./packer.ts";
import { openShop } from "./shop.ts";

const { DATABASE_URL: url, PORT = "3000" } = process.env;
if (url === undefined) throw new Error("Set DATABASE_URL to the address of the shop's database.");

const shop = await openShop({ url });
await startPacker(shop, async ({ order_id }, signal) => {
  await pause(5_000, undefined, { signal });
  return `TRACK-${order_id.slice(0, 8)}`;
});
const server = createApp(shop).listen(Number(PORT), "127.0.0.1", () => {
  console.log(`The shop listens on http://127.0.0.1:${PORT}`);
});

// Parcels that are not packed within two seconds are given back, and the next packer starts them again.
const stop = async () => {
  server.close();
  await shop.close({ graceMs: 2_000 });
};
for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => void stop());
