import { randomUUID } from "node:crypto";
import { eq, sql } from "drizzle-orm";
import { drizzle } from "drizzle-orm/node-postgres";
import { accepted, openPawl } from "pawl";
import { fromDrizzle } from "pawl/adapters/drizzle";
import pg from "pg";
import packing from "./packing.ts";
import { items, orders } from "./tables.ts";

export type Shop = Awaited<ReturnType<typeof openShop>>;

/** Opens the shop's database and Pawl's engine on it. */
export async function openShop({ url }: { url: string }) {
  const pool = new pg.Pool({ connectionString: url });
  const db = drizzle(pool);
  // The role of the app cannot change tables: the owner has run `npx pawl migrate`.
  const pawl = await openPawl({ url, plugins: [packing], migrate: false, onFault: console.error });
  await pawl.createMember({ id: "shop", kind: "service", roles: ["shop"] });
  await pawl.createMember({ id: "packer", kind: "worker", roles: ["packer"] });
  const shop = await pawl.as("shop");

  return {
    db,
    pawl,

    /** Saves an order with the task that packs it: both or neither. */
    placeOrder: (item: string, quantity: number) =>
      db.transaction(async (tx) => {
        const id = randomUUID();
        const task = { lifecycle: "packing", order_id: id, item, quantity } as const;
        const { tasks } = accepted(await pawl.create(shop, [task], { tx: fromDrizzle(tx) }));
        const taskId = tasks[0]!.id;
        const [order] = await tx.insert(orders).values({ id, item, quantity, taskId }).returning();
        // Last, because other orders of the item wait for its row until the commit.
        const left = sql`${items.stock} - ${quantity}`;
        await tx.update(items).set({ stock: left }).where(eq(items.name, item));
        return order!;
      }),

    /** Cancels an order and its task, and returns the items to the stock. Throws if it is being packed, or was packed. */
    cancelOrder: (id: string) =>
      db.transaction(async (tx) => {
        const [order] = await tx.select().from(orders).where(eq(orders.id, id));
        if (!order) return null;
        const cancel = { task_id: order.taskId, action: "cancel" } as const;
        accepted(await pawl.perform(shop, cancel, { tx: fromDrizzle(tx) }));
        const back = sql`${items.stock} + ${order.quantity}`;
        await tx.update(items).set({ stock: back }).where(eq(items.name, order.item));
        return { ...order, state: "cancelled" as const };
      }),

    findOrder: async (id: string) => {
      const [order] = await db.select().from(orders).where(eq(orders.id, id));
      return order ?? null;
    },

    /** Stops the workers, which finish their tasks or give them back, then closes both pools. */
    close: async (options?: { graceMs?: number }) => {
      await pawl.close(options);
      await pool.end();
    },
  };
}
