import { createElement, useEffect, useRef } from "react";
import type { CSSProperties, FunctionComponent, ReactNode } from "react";
import type { BotAction } from "../bot-action.ts";
import { botActionText } from "./bot-action-texts.ts";
import { busyActions } from "./busy-actions.ts";

export type BotActionIndicatorProps = {
  /** Of `useBotActions`. */
  actions: readonly BotAction[];
  className?: string | undefined;
  /** Instead of "and 2 more". */
  more?: ((count: number) => ReactNode) | undefined;
  /** Instead of the texts in Russian, where an action says nothing itself. */
  text?: ((action: BotAction) => string) | undefined;
};

/**
 * One line: what a bot is busy with. Of several actions the one that was heard of last, and how many there are beside it.
 * The region is there also while it is empty: screen readers tell only of what changes in one that they know.
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

/** Turned by the browser's own animations: they need no style sheet, which a page's policy might forbid. */
function Spinner() {
  const ring = useRef<HTMLSpanElement & Turnable>(null);
  useEffect(() => {
    const wish = (globalThis as unknown as Browser).matchMedia?.("(prefers-reduced-motion: reduce)");
    let turning: { cancel(): void } | undefined;
    const turn = () => {
      turning?.cancel();
      turning = wish?.matches ? undefined : ring.current?.animate?.(ROUND, FOR_EVER);
    };
    turn();
    wish?.addEventListener("change", turn);
    return () => {
      wish?.removeEventListener("change", turn);
      turning?.cancel();
    };
  }, []);
  return createElement("span", { ref: ring, "aria-hidden": true, style: RING });
}

/** What is used of a browser: Pawl is compiled without the types of one. Where components are tested some of it is missing. */
type Browser = {
  matchMedia?(query: string): {
    matches: boolean;
    addEventListener(type: "change", listener: () => void): void;
    removeEventListener(type: "change", listener: () => void): void;
  };
};
type Turnable = { animate?(frames: object[], timing: object): { cancel(): void } };

const ROUND = [{ transform: "rotate(0)" }, { transform: "rotate(1turn)" }];
const FOR_EVER = { duration: 900, iterations: Infinity };

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
