import { startTestServer } from "pawl/testing";
import invoices from "../src/plugin.ts";

/** A server with an accountant, an approver and two directors. */
export async function openOffice() {
  const server = await startTestServer({ lifecycles: [invoices], settings: { invoicesCurrency: "USD" } });
  const join = async (id: string, roles: string[], more: object = {}) => {
    const { client, token } = await server.member({ id, name: id, roles, ...more });
    return { client, token, invoices: client.lifecycle(invoices.lifecycle) };
  };
  return {
    server,
    join,
    ann: await join("ann", ["accountant"]),
    bob: await join("bob", ["approver"]),
    dora: await join("dora", ["director"]),
    dan: await join("dan", ["approver", "director"]),
  };
}

/** An invoice that nobody has entered before. */
export function invoice(amount_cents: number, more: { due_on?: string; supplier?: string } = {}) {
  return { number: String(++last), supplier: "Acme", amount_cents, due_on: day(30), ...more };
}
let last = 0;

/** The day that many days from now. */
export function day(days: number): string {
  return new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 10);
}
