import { expect, test } from "vitest";
import { makeNonce, readWish, writeWish } from "./buttons.ts";
import type { Wish } from "./buttons.ts";

const file_id = "AbCdEfGhIjKlMnOp";
const user_id = "12345678901234567890";

test.each<Wish>([
  { kind: "open", folder_id: null, page: 0 },
  { kind: "open", folder_id: file_id, page: 99_999 },
  { kind: "show", file_id, page: 3 },
  { kind: "download", file_id, nonce: makeNonce(), page: 99_999 },
  { kind: "jobs" },
  { kind: "cancel", job_id: "0197a000-0000-7000-8000-000000000001" },
  { kind: "ask_again" },
  { kind: "approve", user_id, nonce: makeNonce() },
  { kind: "extend", user_id, nonce: makeNonce() },
  { kind: "block", user_id, nonce: makeNonce() },
])("$kind fits on a button, and is read as it was written", (wish) => {
  const data = writeWish(wish);
  expect(Buffer.byteLength(data)).toBeLessThanOrEqual(64);
  expect(readWish(data)).toEqual(wish);
});

test("a page that no folder has is the first", () => {
  expect(readWish("o::999999")).toEqual({ kind: "open", folder_id: null, page: 0 });
});

test.each(["", "z", "d", "d:x", "f", "c", "a:1", "toString", "o:x:-1:2".repeat(9)])(
  "%j asks for nothing that can do harm",
  (data) => {
    const wish = readWish(data);
    expect(wish === null || wish.kind === "open").toBe(true);
  },
);

test("no two nonces are alike", () => {
  expect(new Set(Array.from({ length: 1_000 }, makeNonce)).size).toBe(1_000);
});
