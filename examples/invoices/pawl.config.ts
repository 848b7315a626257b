import { defineConfig } from "pawl";
import invoices from "./src/plugin.ts";

export default defineConfig({ lifecycles: [invoices], invoicesCurrency: "EUR" });
