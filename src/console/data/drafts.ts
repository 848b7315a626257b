const PREFIX = "pawl.draft.";

/** What was written into a form and neither sent nor cancelled; null where nothing was. */
export function readDraft(key: string): object | null {
  try {
    const draft: unknown = JSON.parse(sessionStorage.getItem(PREFIX + key) ?? "null");
    return typeof draft === "object" ? draft : null;
  } catch {
    return null;
  }
}

/** null removes it. */
export function writeDraft(key: string, values: object | null): void {
  try {
    if (values === null) sessionStorage.removeItem(PREFIX + key);
    else sessionStorage.setItem(PREFIX + key, JSON.stringify(values));
  } catch {
    // A browser without storage, or with a full one, keeps the form only while it is open.
  }
}

/** Removes the drafts of this tab. */
export function forgetDrafts(): void {
  try {
    for (const key of Object.keys(sessionStorage)) if (key.startsWith(PREFIX)) sessionStorage.removeItem(key);
  } catch {
    // Without storage there are no drafts.
  }
}
