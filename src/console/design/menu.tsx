import { useEffect, useRef, useState } from "react";
import type { KeyboardEvent, ReactNode } from "react";

/** A button that opens a menu. Arrow keys move through the menu, Escape closes it. */
export function Menu({
  button,
  label,
  className = "button quiet",
  left = false,
  children,
}: {
  button: ReactNode;
  label: string;
  className?: string;
  left?: boolean;
  children: (close: () => void) => ReactNode;
}) {
  const [open, setOpen] = useState(false);
  const anchor = useRef<HTMLSpanElement>(null);
  useEffect(() => {
    if (!open) return;
    anchor.current?.querySelector<HTMLElement>(".menu :is(button, a)")?.focus();
    const closeIfOutside = (event: Event) => {
      if (!anchor.current?.contains(event.target as Node)) setOpen(false);
    };
    document.addEventListener("pointerdown", closeIfOutside);
    return () => {
      document.removeEventListener("pointerdown", closeIfOutside);
    };
  }, [open]);
  const close = () => {
    setOpen(false);
    anchor.current?.querySelector<HTMLElement>(":scope > button")?.focus();
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (!open) return;
    if (event.key === "Escape") close();
    else if (event.key !== "ArrowDown" && event.key !== "ArrowUp") return;
    else moveFocus(anchor.current, event.key === "ArrowDown" ? 1 : -1);
    event.preventDefault();
    event.stopPropagation();
  };
  return (
    <span ref={anchor} className={`anchor${left ? " left" : ""}`} onKeyDown={onKeyDown}>
      <button
        type="button"
        className={className}
        aria-expanded={open}
        aria-label={label}
        title={label}
        onClick={() => {
          setOpen(!open);
        }}
      >
        {button}
      </button>
      {open && <div className="menu">{children(close)}</div>}
    </span>
  );
}

function moveFocus(anchor: HTMLElement | null, by: 1 | -1): void {
  const items = [...(anchor?.querySelectorAll<HTMLElement>(".menu :is(button, a)") ?? [])];
  const index = items.indexOf(document.activeElement as HTMLElement);
  items.at((index + by + items.length) % items.length)?.focus();
}
