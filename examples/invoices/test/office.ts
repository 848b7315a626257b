import { startTestServer } from "pawl/testing";
import invoices from "../src/plugin.ts";

/** Starts a server with an accountant (ann), an approver (bob), a director (dora), and dan, who is both. */
export async function openOffice() {
  const server = await startTestServer({ plugins: [invoices], settings: { invoicesCurrency: "USD" } });
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

/** Returns the input of an invoice with a new number. */
export function invoice(amount_cents: number, more: { due_on?: string; supplier?: string } = {}) {
  return { number: String(++last), supplier: "Acme", amount_cents, due_on: day(30), ...more };
}
let last = 0;

/** Returns a date as `2026-01-31`: 0 is today, -1 yesterday. */
export function day(days: number): string {
  return new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 10);
}
