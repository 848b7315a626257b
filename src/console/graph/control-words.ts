import type { AriaLabelConfig } from "@xyflow/react";
import { useTexts } from "../texts/use-texts.ts";
import type { LocalizedTexts } from "../texts/localized-texts.ts";

const TEXTS: LocalizedTexts<Partial<AriaLabelConfig>> = {
  en: {
    "controls.ariaLabel": "Look closer or from farther away",
    "controls.zoomIn.ariaLabel": "Closer",
    "controls.zoomOut.ariaLabel": "Farther away",
    "controls.fitView.ariaLabel": "All of it",
  },
  ru: {
    "controls.ariaLabel": "Ближе или дальше",
    "controls.zoomIn.ariaLabel": "Ближе",
    "controls.zoomOut.ariaLabel": "Дальше",
    "controls.fitView.ariaLabel": "Показать всё",
  },
};

/** What the buttons of a graph are called. */
export function useControlWords(): Partial<AriaLabelConfig> {
  return useTexts(TEXTS);
}
