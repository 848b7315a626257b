import { defineScreens } from "../../../console/index.ts";

export default defineScreens({
  tabs: { queue: () => import("./queue-screen.tsx"), users: () => import("./users-screen.tsx") },
  panel: () => import("./job-panel.tsx"),
});
