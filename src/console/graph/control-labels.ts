import type { AriaLabelConfig } from "@xyflow/react";
import { useTexts } from "../texts/use-texts.ts";
import type { LocalizedTexts } from "../texts/localized-texts.ts";

const TEXTS: LocalizedTexts<Partial<AriaLabelConfig>> = {
  en: {
    "controls.ariaLabel": "Zoom",
    "controls.zoomIn.ariaLabel": "Zoom in",
    "controls.zoomOut.ariaLabel": "Zoom out",
    "controls.fitView.ariaLabel": "Fit view",
  },
  ru: {
    "controls.ariaLabel": "Масштаб",
    "controls.zoomIn.ariaLabel": "Увеличить",
    "controls.zoomOut.ariaLabel": "Уменьшить",
    "controls.fitView.ariaLabel": "Показать всё",
  },
};

/** Labels of a graph's zoom buttons. */
export function useControlLabels(): Partial<AriaLabelConfig> {
  return useTexts(TEXTS);
}
