import { defineScreens } from "../../../console/index.ts";

export default defineScreens({
  tabs: { chat: () => import("./chat-screen.tsx") },
});
