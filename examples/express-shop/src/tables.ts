import { integer, pgSchema, text, uuid } from "drizzle-orm/pg-core";

const shop = pgSchema("shop");

export const items = shop.table("item", {
  name: text().primaryKey(),
  stock: integer().notNull(),
});

export const orders = shop.table("customer_order", {
  id: uuid().primaryKey(),
  item: text().notNull(),
  quantity: integer().notNull(),
  state: text({ enum: ["placed", "packed", "cancelled"] })
    .notNull()
    .default("placed"),
  trackingNumber: text("tracking_number"),
  /** The task that packs the order. */
  taskId: uuid("task_id").notNull(),
});
