import { defineScreens } from "../../../console/index.ts";

export default defineScreens({
  tabs: { search: () => import("./search-screen.tsx"), agents: () => import("./agents-screen.tsx") },
});
