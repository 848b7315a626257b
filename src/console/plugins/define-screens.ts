import type { ComponentType } from "react";
import type { Task } from "../data/client.ts";

type Load<Props extends object> = () => Promise<{ default: ComponentType<Props> }>;

/** Screens of a plugin; each is loaded when it is first shown. */
export type Screens = {
  /** By the ids of the plugin's tabs. */
  tabs?: Readonly<Record<string, Load<{ lifecycle: string }>>>;
  /** Shown on a task's page, above its details. */
  panel?: Load<{ task: Task }>;
};

/**
 * The default export of a plugin's module for the console.
 *
 * ```ts
 * export default defineScreens({ tabs: { totals: () => import("./totals.tsx") } });
 * ```
 */
export function defineScreens(screens: Screens): Screens {
  return screens;
}
