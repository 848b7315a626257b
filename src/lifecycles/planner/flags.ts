type Flagged = { flags: readonly { about: string; reason: string }[]; open_escalations: number };

/** What a flag is about that is about no blocker. */
export const END_OF_SHIFT = "shift";

/** The task without a flag whose cause is gone; nobody needs to look where nothing else is open. */
export function withoutFlag(data: Flagged, about: string) {
  const flags = data.flags.filter((flag) => flag.about !== about);
  if (flags.length === data.flags.length) return { data: {} };
  return { needs_attention: needsAttention({ ...data, flags }), data: { flags: [...flags] } };
}

export function needsAttention({ open_escalations, flags }: Flagged) {
  return open_escalations > 0 || flags.length > 0;
}
