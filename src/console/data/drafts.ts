const PREFIX = "pawl.draft.";

/** Reads the unsent input of a form; null if there is none. */
export function readDraft(key: string): object | null {
  try {
    const draft: unknown = JSON.parse(sessionStorage.getItem(PREFIX + key) ?? "null");
    return typeof draft === "object" ? draft : null;
  } catch {
    return null;
  }
}

/** Stores the unsent input of a form; null removes it. */
export function writeDraft(key: string, values: object | null): void {
  try {
    if (values === null) sessionStorage.removeItem(PREFIX + key);
    else sessionStorage.setItem(PREFIX + key, JSON.stringify(values));
  } catch {
    // Without storage, or with a full one, the input lasts only while the form is open.
  }
}

/** Removes all drafts of this tab. */
export function forgetDrafts(): void {
  try {
    for (const key of Object.keys(sessionStorage)) if (key.startsWith(PREFIX)) sessionStorage.removeItem(key);
  } catch {
    // Without storage there are no drafts.
  }
}
