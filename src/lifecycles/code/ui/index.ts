import { defineScreens } from "../../../console/index.ts";

export default defineScreens({
  tabs: {
    workers: () => import("./workers-screen.tsx"),
    merges: () => import("./merges-screen.tsx"),
    usage: () => import("./usage-screen.tsx"),
  },
  panel: () => import("./attempts-panel.tsx"),
});
