import { createElement, useEffect, useRef } from "react";
import type { CSSProperties, FunctionComponent, ReactNode } from "react";
import type { BotAction } from "../bot-action.ts";
import { botActionText } from "./bot-action-texts.ts";
import { busyActions } from "./busy-actions.ts";

export type BotActionIndicatorProps = {
  /** The result of `useBotActions`. */
  actions: readonly BotAction[];
  className?: string | undefined;
  /** Renders the number of further actions; default "and 2 more". */
  more?: ((count: number) => ReactNode) | undefined;
  /** Returns the text of an action; by default its displayText, or a Russian text for its type. */
  text?: ((action: BotAction) => string) | undefined;
};

/**
 * Shows the last updated action in one line, with the number of further actions. The live region is rendered also while it
 * is empty: screen readers announce only changes of a region that already exists.
 */
export const BotActionIndicator: FunctionComponent<BotActionIndicatorProps> = ({
  actions,
  className,
  more = (count) => `and ${count} more`,
  text = botActionText,
}) => {
  const [action, ...others] = busyActions(actions);
  const line = action && [
    createElement(Spinner, { key: "spinner" }),
    createElement("span", { key: "text", "data-action-id": action.actionId }, text(action)),
    others.length > 0 && createElement("span", { key: "more", style: FAINT }, more(others.length)),
  ];
  return createElement(
    "div",
    {
      role: "status",
      "aria-live": "polite",
      "aria-atomic": true,
      className,
      style: action ? LINE : undefined,
    },
    line,
  );
};

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

const LINE: CSSProperties = { display: "flex", alignItems: "center", gap: "0.5em" };
const FAINT: CSSProperties = { opacity: 0.75 };
const RING: CSSProperties = {
  flex: "none",
  boxSizing: "border-box",
  width: "1em",
  height: "1em",
  border: "0.15em solid currentColor",
  borderTopColor: "transparent",
  borderRadius: "50%",
};
