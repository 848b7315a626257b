import { defineConfig } from "pawl";
import { supportTicket } from "./lifecycle.ts";

export default defineConfig({ lifecycles: [supportTicket] });
