import { defineScreens } from "../../../console/index.ts";

export default defineScreens({
  tabs: {
    pool: () => import("./pool-screen.tsx"),
    review: () => import("./review-screen.tsx"),
    shifts: () => import("./shifts-screen.tsx"),
    week: () => import("./week-screen.tsx"),
    quality: () => import("./quality-screen.tsx"),
  },
});
