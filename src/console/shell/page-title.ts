import { useEffect } from "react";

/** Sets the title of the browser tab. */
export function usePageTitle(title: string): void {
  useEffect(() => {
    document.title = title === "" ? "Pawl" : `${title} · Pawl`;
  }, [title]);
}
