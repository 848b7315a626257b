import { useI18n } from "../../../console/index.ts";

const UNITS = ["byte", "kilobyte", "megabyte", "gigabyte"] as const;

/** Returns a formatter of sizes, which chooses the unit. */
export function useBytes(): (bytes: number) => string {
  const { language } = useI18n();
  return (bytes) => {
    const at = Math.min(UNITS.length - 1, Math.max(0, Math.floor(Math.log10(Math.max(1, bytes)) / 3)));
    return new Intl.NumberFormat(language, {
      style: "unit",
      unit: UNITS[at] as string,
      unitDisplay: "short",
      maximumFractionDigits: at === 0 ? 0 : 1,
    }).format(bytes / 1_000 ** at);
  };
}
