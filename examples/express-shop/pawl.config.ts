import { defineConfig } from "pawl";
import packing from "./src/packing.ts";

// Read by the command line, for example by `pawl migrate`. The app itself lists its plugins in `openPawl`.
export default defineConfig({ builtInPlugins: [], lifecycles: [packing] });
