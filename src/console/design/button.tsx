import type { ButtonHTMLAttributes, MouseEvent, ReactNode } from "react";
import { Icon } from "./icon.tsx";
import type { IconName } from "./icon.tsx";

type Look = { look?: "main" | "quiet" | "danger"; small?: boolean; icon?: IconName };

/** A button. `look` is `main` for the primary action, `danger` for a destructive one, `quiet` for one without a border. */
export function Button({
  look,
  small = false,
  icon,
  children,
  className = "",
  ...rest
}: ButtonHTMLAttributes<HTMLButtonElement> & Look) {
  const classes = ["button", look ?? "", small ? "small" : "", className].filter(Boolean).join(" ");
  return (
    <button
      type="button"
      className={classes}
      {...(rest.type === "submit" ? { onMouseDown: keepFocus } : {})}
      {...rest}
    >
      {icon && <Icon name={icon} />}
      {children}
    </button>
  );
}

/** A button that shows only an icon; the label is its accessible name. */
export function IconButton({
  icon,
  label,
  small = false,
  ...rest
}: ButtonHTMLAttributes<HTMLButtonElement> & { icon: IconName; label: string; small?: boolean }) {
  return (
    <button
      type="button"
      className={`button quiet icon${small ? " small" : ""}`}
      aria-label={label}
      title={label}
      {...rest}
    >
      <Icon name={icon} />
    </button>
  );
}

/** A choice among a few options, shown side by side. */
export function Segments<Value extends string>({
  label,
  value,
  options,
  onChange,
}: {
  label: string;
  value: Value;
  options: readonly { value: Value; label: ReactNode }[];
  onChange: (value: Value) => void;
}) {
  return (
    <div className="segments" role="group" aria-label={label}>
      {options.map((option) => (
        <button
          key={option.value}
          type="button"
          aria-pressed={option.value === value}
          onClick={() => {
            onChange(option.value);
          }}
        >
          {option.label}
        </button>
      ))}
    </div>
  );
}

/** A field that loses the focus may show a message, which would move the submit button away from the pointer before the click. */
function keepFocus(event: MouseEvent): void {
  event.preventDefault();
}
