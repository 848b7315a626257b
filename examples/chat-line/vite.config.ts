import { defineConfig } from "vite";

// The development server forwards the page's API requests to Pawl.
export default defineConfig({ server: { proxy: { "/api": "http://127.0.0.1:4747" } } });
