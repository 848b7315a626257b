import { once } from "node:events";
import { readFile } from "node:fs/promises";
import type { AddressInfo } from "node:net";
import { startTestServer } from "pawl/testing";
import type { TestServer } from "pawl/testing";
import pg from "pg";
import { afterAll, afterEach, beforeAll, beforeEach, expect, test, vi } from "vitest";
import { createApp } from "../src/app.ts";
import { startPacker } from "../src/packer.ts";
import packing from "../src/packing.ts";
import { openShop } from "../src/shop.ts";
import type { Shop } from "../src/shop.ts";
import { orders } from "../src/tables.ts";

/** An embedded PostgreSQL on which Pawl's migrations have run, like `pawl migrate` does it. */
let server: TestServer;
let pool: pg.Pool;
let shop: Shop;
/** Stops the HTTP server of a test. */
let closeHttp: () => unknown;
let url: string;

beforeAll(async () => {
  server = await startTestServer({ plugins: [packing] });
  pool = new pg.Pool({ connectionString: server.pawl.url });
  await pool.query("create role shop_app");
  await pool.query(await readFile(new URL("../schema.sql", import.meta.url), "utf8"));
});
afterAll(async () => {
  await pool.end();
  await server.stop();
});

beforeEach(async () => {
  shop = await openShop({ url: server.pawl.url });
  const http = createApp(shop).listen(0, "127.0.0.1");
  await once(http, "listening");
  closeHttp = () => http.close();
  url = `http://127.0.0.1:${(http.address() as AddressInfo).port}`;
});
afterEach(async () => {
  closeHttp();
  await shop.close({ graceMs: 0 });
});

test("an order is packed by the worker, and the customer sees the tracking number", async () => {
  await startPacker(shop, ({ item }) => Promise.resolve(`TRACK-${item}`));
  const { status, body } = await post("/orders", { item: "teapot", quantity: 2 });
  expect([status, body.state]).toEqual([201, "placed"]);
  await vi.waitFor(
    async () => expect(await get(`/orders/${body.id}`)).toMatchObject({ state: "packed" }),
    WAIT,
  );
  expect(await get(`/orders/${body.id}`)).toMatchObject({ trackingNumber: "TRACK-teapot" });
  expect(await stockOf("teapot")).toBe(8);
  // It is too late to cancel it.
  expect(await post(`/orders/${body.id}/cancel`)).toMatchObject({ status: 409 });
});

test("an order that cannot be saved leaves no task", async () => {
  const before = [await shop.db.$count(orders), await countTasks()];
  expect(await post("/orders", { item: "kettle", quantity: 4 })).toEqual({
    status: 409,
    body: { error: "There is not enough in stock." },
  });
  expect(await post("/orders", { item: "sofa", quantity: 1 })).toMatchObject({ status: 422 });
  expect(await post("/orders", { item: "kettle", quantity: 0 })).toMatchObject({ status: 422 });
  expect([await shop.db.$count(orders), await countTasks()]).toEqual(before);
  expect(await stockOf("kettle")).toBe(3);
});

test("cancelling returns the items, and ends the task in the same transaction", async () => {
  const { body } = await post("/orders", { item: "kettle", quantity: 3 });
  expect(await stockOf("kettle")).toBe(0);
  expect(await post(`/orders/${body.id}/cancel`)).toMatchObject({
    status: 200,
    body: { state: "cancelled" },
  });
  expect(await stockOf("kettle")).toBe(3);
  expect(await statusOf(body.taskId)).toBe("cancelled");
  // A second time is refused, and the rollback leaves the stock as it is.
  expect(await post(`/orders/${body.id}/cancel`)).toMatchObject({ status: 409 });
  expect(await stockOf("kettle")).toBe(3);
});

test("an order that is being packed when the shop closes is given back, and the next packer packs it", async () => {
  const started = new Promise<AbortSignal>((resolve) => {
    void startPacker(shop, (_, signal) => {
      resolve(signal);
      return new Promise((_, reject) => signal.addEventListener("abort", () => reject(signal.reason)));
    });
  });
  const { body } = await post("/orders", { item: "teapot", quantity: 1 });
  const signal = await started;
  expect(await statusOf(body.taskId)).toBe("packing");
  await shop.close({ graceMs: 0 });
  expect(signal.aborted).toBe(true);
  expect(await statusOf(body.taskId)).toBe("waiting");

  shop = await openShop({ url: server.pawl.url });
  await startPacker(shop, () => Promise.resolve("TRACK-2"));
  await vi.waitFor(async () => expect(await statusOf(body.taskId)).toBe("packed"), WAIT);
  expect(await shop.findOrder(body.id)).toMatchObject({ state: "packed", trackingNumber: "TRACK-2" });
});

test("an order that cannot be packed is flagged, and packed after a retry", async () => {
  let tape = false;
  await startPacker(shop, () => (tape ? Promise.resolve("TRACK-3") : Promise.reject(new Error("no tape"))));
  const { body } = await post("/orders", { item: "teapot", quantity: 1 });
  await vi.waitFor(async () => expect(await statusOf(body.taskId)).toBe("stuck"), WAIT);
  expect(await server.client.getTask({ id: body.taskId })).toMatchObject({ needs_attention: true });
  tape = true;
  // The caller of the shop, as in the app; the console and the command line do the same over HTTP.
  const retry = { task_id: body.taskId, action: "retry" } as const;
  expect(await shop.pawl.perform(await shop.pawl.as("shop"), retry)).toMatchObject({ kind: "performed" });
  await vi.waitFor(
    async () => expect(await shop.findOrder(body.id)).toMatchObject({ state: "packed" }),
    WAIT,
  );
});

const WAIT = { timeout: 60_000, interval: 20 };

type Order = { id: string; taskId: string; state: string };

async function post(path: string, json?: object): Promise<{ status: number; body: Order }> {
  const headers = { "content-type": "application/json" };
  const body = json && JSON.stringify(json);
  const response = await fetch(url + path, { method: "POST", headers, ...(body ? { body } : {}) });
  return { status: response.status, body: (await response.json()) as Order };
}

async function get(path: string): Promise<unknown> {
  return (await fetch(url + path)).json();
}

async function statusOf(task_id: string): Promise<string> {
  return (await server.client.getTask({ id: task_id })).status;
}

async function stockOf(item: string): Promise<number> {
  const { rows } = await pool.query<{ stock: number }>("select stock from shop.item where name = $1", [item]);
  return rows[0]!.stock;
}

async function countTasks(): Promise<number> {
  return (await server.client.listTasks({ lifecycle: "packing" })).tasks.length;
}
