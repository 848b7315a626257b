import { defineConfig } from "vite";

// The page asks the server that it came from, which passes the questions on to Pawl.
export default defineConfig({ server: { proxy: { "/api": "http://127.0.0.1:4747" } } });
