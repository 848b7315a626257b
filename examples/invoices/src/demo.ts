import type { DemoScript, Stage } from "pawl/plugin";
import { lifecycle } from "./lifecycle.ts";

export const members: DemoScript["members"] = [
  { id: "inga", name: "Inga Holm", kind: "human", roles: ["accountant"] },
  { id: "oleg", name: "Oleg Sorokin", kind: "human", roles: ["approver"] },
  { id: "rita", name: "Rita Stone", kind: "human", roles: ["director"] },
];
export const projects: DemoScript["projects"] = [];
/** Roles of the demo's visitor, who can perform every action of these members. */
export const visitor: DemoScript["visitor"] = { roles: ["accountant", "approver", "director"] };

const SUPPLIERS = ["Paper Mill", "Nordic Hosting", "Green Energy", "Beta Logistics"] as const;
const LIMIT_CENTS = 100_000;

/** Handles one invoice after another until the demo ends, with a pause of 5 to 20 seconds in between. */
export function play(stage: Stage): Promise<void> {
  return stage.keepOn([5, 20], () => handleInvoice(stage));
}

async function handleInvoice(stage: Stage): Promise<void> {
  const { chance } = stage;
  const as = (id: string) => stage.as(id).lifecycle(lifecycle);
  const [inga, oleg, rita] = [as("inga"), as("oleg"), as("rita")];
  const amount_cents = chance.whole(100, 2_500) * 100;
  const { id } = await inga.create({
    number: chance.hex(6),
    supplier: chance.pick(SUPPLIERS),
    amount_cents,
    due_on: day(chance.whole(-5, 30)),
  });
  await stage.rest([5, 15]);
  if (amount_cents > LIMIT_CENTS) {
    await oleg.act(id, "escalate", { comment: "More than I may approve." });
    await stage.rest([5, 15]);
    await rita.act(id, "approve");
  } else await oleg.act(id, "approve");

  // Half of the invoices are paid in two parts.
  const parts = chance.happens(0.5) ? [amount_cents / 2, amount_cents / 2] : [amount_cents];
  for (const part of parts) {
    await stage.rest([10, 40]);
    await inga.act(id, "record_payment", { payload: { amount_cents: part, paid_on: day(0) } });
  }
}

function day(days: number): string {
  return new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 10);
}
