import type { ReactNode } from "react";
import type { Tone } from "./status.tsx";

/** A card with a title, the number of items, and a list. If `count` is 0, it shows `empty` instead of the list. */
export function ListCard({
  title,
  count,
  tone,
  empty,
  listClass = "lines",
  tools,
  children,
}: {
  title: string;
  count: number;
  /** Colour of the number. */
  tone?: Tone;
  /** A plain text is shown small. */
  empty: ReactNode;
  listClass?: string;
  /** Buttons at the end of the head. */
  tools?: ReactNode;
  /** The items: `li` elements. */
  children: ReactNode;
}) {
  return (
    <section className="card" aria-label={title}>
      <header className="head">
        <h2>{title}</h2>
        {count > 0 && (
          <span className="badge" data-tone={tone}>
            {count}
          </span>
        )}
        <span className="push" />
        {tools}
      </header>
      {count > 0 ? (
        <ul className={listClass}>{children}</ul>
      ) : typeof empty === "string" ? (
        <p className="body faint">{empty}</p>
      ) : (
        empty
      )}
    </section>
  );
}
