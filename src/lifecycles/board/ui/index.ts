import { defineScreens } from "../../../console/index.ts";

export default defineScreens({
  tabs: { agents: () => import("./agents-screen.tsx") },
});
