const LONGEST = 300;

/** Plain text for one line: HTML removed, trimmed, at most 300 characters as a person counts them; null where nothing is left. */
export function cleanDisplayText(text: string | null | undefined): string | null {
  if (text === null || text === undefined) return null;
  const plain = withoutTags(text).replace(/\s+/g, " ").trim();
  const cut = firstCharacters(plain, LONGEST).trim();
  return cut === "" ? null : cut;
}

/** Removing a tag can join two halves of another ("<<b>b>"), so it goes on until nothing changes. */
function withoutTags(text: string): string {
  const stripped = text.replace(/<!--[\s\S]*?(?:-->|$)|<\/?[a-z!][^<>]*(?:>|$)/gi, "");
  return stripped === text ? text : withoutTags(stripped);
}

function firstCharacters(text: string, count: number): string {
  if (text.length <= count) return text;
  let kept = "";
  let seen = 0;
  for (const { segment } of new Intl.Segmenter().segment(text)) {
    if (++seen > count) break;
    kept += segment;
  }
  return kept;
}
