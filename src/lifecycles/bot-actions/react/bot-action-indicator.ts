import { createElement, useEffect, useRef } from "react";
import type { CSSProperties, FunctionComponent, ReactNode } from "react";
import type { BotAction } from "../bot-action.ts";
import { botActionText, INDICATOR_TEXTS, pageLanguage } from "./bot-action-texts.ts";
import type { BotActionLanguage } from "./bot-action-texts.ts";
import { busyActions } from "./busy-actions.ts";

export type BotActionIndicatorProps = {
  /** The result of `useBotActions`. */
  actions: readonly BotAction[];
  className?: string | undefined;
  /** Default: Russian if the page's `lang` is Russian or missing, otherwise English. */
  language?: BotActionLanguage | undefined;
  /** Renders the number of further actions; default "and 2 more". */
  more?: ((count: number) => ReactNode) | undefined;
  /** Returns the text of an action; default: its displayText, or a text for its status and type. */
  text?: ((action: BotAction) => string) | undefined;
};

/**
 * Shows the last updated action in one line, the number of further actions, and those that have just finished, with an icon.
 * The live region is rendered also while it is empty: screen readers announce only changes of a region that already exists.
 */
export const BotActionIndicator: FunctionComponent<BotActionIndicatorProps> = ({
  actions,
  className,
  language = pageLanguage(),
  more = INDICATOR_TEXTS[language].more,
  text = (action) => botActionText(action, language),
}) => {
  const [action, ...others] = busyActions(actions);
  const finished = actions.filter(({ status }) => status !== "processing");
  const shown = [...(action ? [action] : []), ...finished];
  const line = [
    ...shown.map((one) => createElement(Item, { key: one.actionId, action: one, text: text(one), language })),
    others.length > 0 && createElement("span", { key: "more", style: FAINT }, more(others.length)),
  ];
  return createElement(
    "div",
    {
      role: "status",
      "aria-live": "polite",
      "aria-atomic": true,
      className,
      style: shown.length > 0 ? LINE : undefined,
    },
    shown.length > 0 ? line : undefined,
  );
};

type ItemProps = { action: BotAction; text: string; language: BotActionLanguage };

function Item({ action: { actionId, status }, text, language }: ItemProps) {
  const icon = status === "processing" ? Spinner : FinishedIcon;
  const label = status === "processing" ? "" : INDICATOR_TEXTS[language][status];
  return createElement(
    "span",
    { "data-status": status, style: ITEM },
    createElement(icon, { status, label: label === text ? "" : label }),
    createElement("span", { "data-action-id": actionId, style: TEXT }, text),
  );
}

/** A check mark or an exclamation mark; `label`: its name for screen readers, empty if the text has it. */
function FinishedIcon({ status, label }: { status: BotAction["status"]; label: string }) {
  return createElement(
    "svg",
    {
      ...(label === "" ? { "aria-hidden": true } : { role: "img", "aria-label": label }),
      viewBox: "0 0 16 16",
      style: ICON,
    },
    createElement("circle", { cx: 8, cy: 8, r: 7, ...STROKE }),
    createElement("path", {
      d: status === "done" ? "M4.8 8.3l2.2 2.2 4.2-4.8" : "M8 4.2v4.6M8 11.4v.4",
      ...STROKE,
    }),
  );
}

/** Animated with the Web Animations API, which works without a style sheet that the page's policy might forbid. */
function Spinner() {
  const ring = useRef<HTMLSpanElement & Animatable>(null);
  useEffect(() => {
    const reducedMotion = (globalThis as unknown as Browser).matchMedia?.("(prefers-reduced-motion: reduce)");
    let animation: { cancel(): void } | undefined;
    const turn = () => {
      animation?.cancel();
      animation = reducedMotion?.matches ? undefined : ring.current?.animate?.(FULL_TURN, ENDLESS);
    };
    turn();
    reducedMotion?.addEventListener("change", turn);
    return () => {
      reducedMotion?.removeEventListener("change", turn);
      animation?.cancel();
    };
  }, []);
  return createElement("span", { ref: ring, "aria-hidden": true, style: RING });
}

/** The browser APIs used here: Pawl is compiled without DOM types. Optional, because test environments may lack them. */
type Browser = {
  matchMedia?(query: string): {
    matches: boolean;
    addEventListener(type: "change", listener: () => void): void;
    removeEventListener(type: "change", listener: () => void): void;
  };
};
type Animatable = { animate?(frames: object[], timing: object): { cancel(): void } };

const FULL_TURN = [{ transform: "rotate(0)" }, { transform: "rotate(1turn)" }];
const ENDLESS = { duration: 900, iterations: Infinity };
const LINE: CSSProperties = { display: "flex", alignItems: "center", gap: "0.75em", minWidth: 0 };
const ITEM: CSSProperties = { display: "flex", alignItems: "center", gap: "0.5em", minWidth: 0 };
/** Long texts are cut, so that the line stays one line. */
const TEXT: CSSProperties = { overflow: "hidden", textOverflow: "ellipsis", whiteSpace: "nowrap" };
const FAINT: CSSProperties = { flex: "none", opacity: 0.75 };
const ICON: CSSProperties = { flex: "none", width: "1.1em", height: "1.1em" };
const STROKE = { fill: "none", stroke: "currentColor", strokeWidth: 1.6, strokeLinecap: "round" } as const;
const RING: CSSProperties = {
  flex: "none",
  boxSizing: "border-box",
  width: "1em",
  height: "1em",
  border: "0.15em solid currentColor",
  borderTopColor: "transparent",
  borderRadius: "50%",
};
