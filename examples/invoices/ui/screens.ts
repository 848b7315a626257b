import { defineScreens } from "pawl/console";

export default defineScreens({
  tabs: { payments: () => import("./payments-screen.tsx") },
  panel: () => import("./payments-panel.tsx"),
});
