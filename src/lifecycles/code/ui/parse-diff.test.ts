import { expect, test } from "vitest";
import { parseDiff } from "./parse-diff.ts";

const DIFF = `diff --git a/list b/list
index 5626abf..814f4a4 100644
--- a/list
+++ b/list
@@ -1,2 +1,3 @@ head
 one
-two
+2
+-- three
@@ -10 +11 @@
-old
\\ No newline at end of file
+new
diff --git a/a b.txt b/c d.txt
similarity index 100%
rename from a b.txt
rename to c d.txt
diff --git a/gone b/gone
deleted file mode 100644
index 5626abf..0000000
--- a/gone
+++ /dev/null
@@ -1 +0,0 @@
-x
diff --git a/logo.png b/logo.png
new file mode 100644
index 0000000..5b1a2c1
Binary files /dev/null and b/logo.png differ
`;

test("a diff is split into files with line numbers and counts", () => {
  const files = parseDiff(DIFF);
  expect(files.map(({ path, from, change, added, removed }) => [path, from, change, added, removed])).toEqual(
    [
      ["list", null, "changed", 3, 2],
      ["c d.txt", "a b.txt", "renamed", 0, 0],
      ["gone", null, "removed", 0, 1],
      ["logo.png", null, "added", 0, 0],
    ],
  );
  expect(files[0]!.lines.map(({ kind, old, new: now, text }) => [kind, old, now, text])).toEqual([
    ["hunk", null, null, "@@ -1,2 +1,3 @@ head"],
    ["same", 1, 1, "one"],
    ["removed", 2, null, "two"],
    ["added", null, 2, "2"],
    ["added", null, 3, "-- three"],
    ["hunk", null, null, "@@ -10 +11 @@"],
    ["removed", 10, null, "old"],
    ["note", null, null, "No newline at end of file"],
    ["added", null, 11, "new"],
  ]);
  expect(files[3]!.lines).toMatchObject([
    { kind: "note", text: "Binary files /dev/null and b/logo.png differ" },
  ]);
});

test("an empty diff, and one that was cut, are accepted", () => {
  expect(parseDiff("")).toEqual([]);
  expect(parseDiff(DIFF.slice(0, 120))).toHaveLength(1);
});
