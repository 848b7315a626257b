import type { Shop } from "./shop.ts";

export type Parcel = { order_id: string; item: string; quantity: number };
/** Packs a parcel and returns its tracking number. The signal aborts if the shop closes or another packer has the order. */
export type Pack = (parcel: Parcel, signal: AbortSignal) => Promise<string>;

/** Packs orders in this process, four at a time. `shop.close()` stops it. */
export function startPacker({ pawl }: Shop, pack: Pack) {
  return pawl.work(
    "packing",
    async (task, { signal }) => {
      const tracking_number = await pack(task.data, signal);
      return { action: "pack", payload: { tracking_number } };
    },
    {
      as: "packer",
      concurrency: 4,
      failed: ({ message }) => ({ action: "report", comment: message }),
      onEvent: (event) => {
        if (event.kind === "finished") console.log(`packed: ${event.task.title}`);
        if (event.kind === "failed") console.error(`stuck: ${event.task.title}: ${event.failure.message}`);
        if (event.kind === "released") console.log(`given back: ${event.task.title}`);
      },
    },
  );
}
