import { defineScreens } from "../../../console/index.ts";

export default defineScreens({
  tabs: {
    work: () => import("./work-screen.tsx"),
    attention: () => import("./attention-screen.tsx"),
    pool: () => import("./pool-screen.tsx"),
    review: () => import("./review-screen.tsx"),
    shifts: () => import("./shifts-screen.tsx"),
    week: () => import("./week-screen.tsx"),
    quality: () => import("./quality-screen.tsx"),
    stats: () => import("./stats-screen.tsx"),
  },
  card: () => import("./card-due.tsx"),
  badges: {
    attention: () => import("./attention-badge.tsx"),
  },
});
