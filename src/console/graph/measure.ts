let context: CanvasRenderingContext2D | null | undefined;

/** Measures a text, to size its box before drawing. */
export function textWidth(
  text: string,
  { size = 13, weight = 560 }: { size?: number; weight?: number } = {},
): number {
  context ??= document.createElement("canvas").getContext("2d");
  if (!context) return text.length * size * 0.58;
  context.font = `${weight} ${size}px ${getComputedStyle(document.body).fontFamily}`;
  return Math.ceil(context.measureText(text).width);
}
