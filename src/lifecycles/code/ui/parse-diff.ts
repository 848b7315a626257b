export type DiffLine = {
  kind: "same" | "added" | "removed" | "hunk" | "note";
  text: string;
  /** Line numbers in the old and the new file. */
  old: number | null;
  new: number | null;
};

export type DiffFile = {
  path: string;
  /** The path before a rename. */
  from: string | null;
  change: "added" | "removed" | "changed" | "renamed";
  added: number;
  removed: number;
  lines: DiffLine[];
};

/** Splits git's diff into files. Lines that it does not know are shown as notes. */
export function parseDiff(diff: string): DiffFile[] {
  return diff
    .split(/^(?=diff --git )/m)
    .filter((part) => part.startsWith("diff --git "))
    .map(parseFile);
}

function parseFile(text: string): DiffFile {
  const start = text.search(/^@@ /m);
  const head = start < 0 ? text : text.slice(0, start);
  const lines = start < 0 ? notesOf(head) : parseLines(text.slice(start));
  const [oldPath, newPath] = pathsOf(head);
  const isRename = /^rename from /m.test(head);
  const change = /^new file mode/m.test(head)
    ? "added"
    : /^deleted file mode/m.test(head)
      ? "removed"
      : isRename
        ? "renamed"
        : "changed";
  return {
    path: change === "removed" ? oldPath : newPath,
    from: isRename ? oldPath : null,
    change,
    added: lines.filter(({ kind }) => kind === "added").length,
    removed: lines.filter(({ kind }) => kind === "removed").length,
    lines,
  };
}

function pathsOf(head: string): [string, string] {
  const line = (pattern: RegExp) => pattern.exec(head)?.[1]?.replace(/\t$/, "");
  const [, old = "", now = ""] = /^diff --git "?a\/(.*?)"? "?b\/(.*?)"?$/m.exec(head) ?? [];
  return [
    line(/^rename from (.*)$/m) ?? line(/^--- "?a\/(.*?)"?$/m) ?? old,
    line(/^rename to (.*)$/m) ?? line(/^\+\+\+ "?b\/(.*?)"?$/m) ?? now,
  ];
}

/** A file without changed lines: binary, renamed, or with another mode. */
function notesOf(head: string): DiffLine[] {
  const shown = /^(Binary files|GIT binary|old mode|new mode|similarity)/;
  return head
    .split("\n")
    .filter((line) => shown.test(line))
    .map((text) => ({ kind: "note", text, old: null, new: null }));
}

function parseLines(text: string): DiffLine[] {
  let [old, now] = [0, 0];
  return text
    .replace(/\n$/, "")
    .split("\n")
    .map((line): DiffLine => {
      const hunk = /^@@ -(\d+)(?:,\d+)? \+(\d+)(?:,\d+)? @@/.exec(line);
      if (hunk) {
        [old, now] = [Number(hunk[1]), Number(hunk[2])];
        return { kind: "hunk", text: line, old: null, new: null };
      }
      const rest = line.slice(1);
      if (line.startsWith("+")) return { kind: "added", text: rest, old: null, new: now++ };
      if (line.startsWith("-")) return { kind: "removed", text: rest, old: old++, new: null };
      if (line.startsWith("\\")) return { kind: "note", text: rest.trim(), old: null, new: null };
      return { kind: "same", text: rest, old: old++, new: now++ };
    });
}
