import { useMemberNames } from "../data/members.tsx";
import { useI18n } from "../texts/i18n.tsx";
import type { Tone } from "./status.tsx";

const TONES: readonly Tone[] = ["blue", "violet", "cyan", "good", "warn", "accent", "bad"];

/** A member's initials, always in the same colour. */
export function Avatar({ id, name }: { id: string | null; name: string }) {
  if (id === null) return <span className="avatar nobody" aria-hidden="true" />;
  const letters = name
    .split(/[^\p{L}\p{N}]+/u)
    .filter(Boolean)
    .slice(0, 2)
    .map((word) => word.charAt(0).toUpperCase());
  // Drawn by the style sheet: as text, the initials would become part of the label of a button around them.
  return (
    <span
      className="avatar"
      data-tone={TONES[hash(id) % TONES.length]}
      data-letters={letters.join("")}
      aria-hidden="true"
    />
  );
}

/** A member's avatar and name. */
export function Person({ id, absent }: { id: string | null; absent?: string }) {
  const { t } = useI18n();
  const nameOf = useMemberNames();
  const name = id === null ? (absent ?? t.common.unassigned) : nameOf(id);
  return (
    <span className="row" style={{ gap: 6 }} title={id ?? undefined}>
      <Avatar id={id} name={name} />
      <span className={`cut${id === null ? " faint" : ""}`}>{name}</span>
    </span>
  );
}

function hash(text: string): number {
  let value = 7;
  for (const letter of text) value = (value * 31 + (letter.codePointAt(0) ?? 0)) >>> 0;
  return value;
}
