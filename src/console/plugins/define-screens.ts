import type { ComponentType } from "react";
import type { Task } from "../data/client.ts";

type Load<Props extends object> = () => Promise<{ default: ComponentType<Props> }>;

/** The screens of a plugin. Each module has a component as its default export, and is loaded when it is first shown. */
export type Screens = {
  /** Screens by the ids of `tabs` in the plugin's `ui`. */
  tabs?: Readonly<Record<string, Load<{ lifecycle: string }>>>;
  /** Components beside the titles of tabs, by the same ids, such as a number of items. */
  badges?: Readonly<Record<string, Load<{ lifecycle: string }>>>;
  /** A component on the card of each task on the board. */
  card?: Load<{ task: Task }>;
  /** A component on the page of each task, above its details. Set `panel` in the plugin's `ui` as well. */
  panel?: Load<{ task: Task }>;
};

/**
 * Defines the screens of a plugin: the default export of its console module.
 *
 * ```ts
 * export default defineScreens({ tabs: { totals: () => import("./totals.tsx") } });
 * ```
 */
export function defineScreens(screens: Screens): Screens {
  return screens;
}
