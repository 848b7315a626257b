import { useEffect, useState } from "react";

/** The current theme; the chart is drawn again when it changes. */
export function useTheme(): string {
  const [theme, setTheme] = useState(document.documentElement.dataset.theme ?? "");
  useEffect(() => {
    const watcher = new MutationObserver(() => {
      setTheme(document.documentElement.dataset.theme ?? "");
    });
    watcher.observe(document.documentElement, { attributes: true, attributeFilter: ["data-theme"] });
    return () => {
      watcher.disconnect();
    };
  }, []);
  return theme;
}
