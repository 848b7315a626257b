import { useStoredJson } from "../data/stored-json.ts";

/** A page with its filters, under a name of the member's own. */
export type SavedView = { name: string; href: string };

const MAX_VIEWS = 50;
export const MAX_NAME_LENGTH = 60;

const NONE: SavedView[] = [];

/** The views that the member saved in this browser. */
export function useSavedViews(): {
  views: readonly SavedView[];
  save: (view: SavedView) => void;
  remove: (view: SavedView) => void;
} {
  const [views, change] = useStoredJson<SavedView[]>("views", { isValid: areViews, otherwise: NONE });
  const pathOf = ({ href }: SavedView) => href.split("?")[0];
  const isSame = (a: SavedView, b: SavedView) => a.name === b.name && pathOf(a) === pathOf(b);
  return {
    views,
    // A view with the name of another of the same page replaces it.
    save: (view) => {
      change([...views.filter((one) => !isSame(one, view)), view].slice(-MAX_VIEWS));
    },
    remove: (view) => {
      change(views.filter((one) => !isSame(one, view)));
    },
  };
}

function areViews(value: unknown): value is SavedView[] {
  return Array.isArray(value) && value.every(isView);
}

/** Stored text could come from elsewhere: only addresses of the console are links. */
function isView(value: unknown): value is SavedView {
  if (typeof value !== "object" || value === null || !("name" in value) || !("href" in value)) return false;
  const { name, href } = value;
  return typeof name === "string" && typeof href === "string" && /^\/(lifecycles|tasks)\b/.test(href);
}
