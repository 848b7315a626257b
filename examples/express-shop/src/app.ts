import { DrizzleQueryError } from "drizzle-orm";
import express from "express";
import type { ErrorRequestHandler } from "express";
import { PawlError, problemOf } from "pawl";
import pg from "pg";
import { z } from "zod";
import packing from "./packing.ts";
import type { Shop } from "./shop.ts";

const NewOrder = z.object({ item: z.string().min(1).max(100), quantity: z.int().positive().max(1_000) });
const OrderId = z.object({ id: z.uuid() });

/** The HTTP API of the shop. */
export function createApp(shop: Shop) {
  const app = express();
  app.use(express.json());

  app.post("/orders", async (request, response) => {
    const { item, quantity } = NewOrder.parse(request.body);
    response.status(201).json(await shop.placeOrder(item, quantity));
  });

  app.get("/orders/:id", async (request, response) => {
    const order = await shop.findOrder(OrderId.parse(request.params).id);
    if (order) response.json(order);
    else response.status(404).json({ error: "There is no such order." });
  });

  app.post("/orders/:id/cancel", async (request, response) => {
    const order = await shop.cancelOrder(OrderId.parse(request.params).id);
    if (order) response.json(order);
    else response.status(404).json({ error: "There is no such order." });
  });

  app.use(answerError);
  return app;
}

const answerError: ErrorRequestHandler = (error: unknown, _request, response, next) => {
  if (error instanceof z.ZodError) response.status(422).json({ error: z.prettifyError(error) });
  // A refusal of Pawl, such as a task in another status. Its code has an HTTP status.
  else if (error instanceof PawlError)
    response.status(problemOf(error.code, packing.problems).status).json({ error: error.message });
  else if (constraintOf(error) === "item_stock_check")
    response.status(409).json({ error: "There is not enough in stock." });
  else if (constraintOf(error) === "customer_order_item_fkey")
    response.status(422).json({ error: "There is no such item." });
  else next(error);
};

function constraintOf(error: unknown): string | undefined {
  return error instanceof DrizzleQueryError && error.cause instanceof pg.DatabaseError
    ? error.cause.constraint
    : undefined;
}
