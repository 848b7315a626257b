import { expect, test } from "vitest";
import { makeNonce, decodeAction, encodeAction } from "./buttons.ts";
import type { ButtonAction } from "./buttons.ts";

const file_id = "AbCdEfGhIjKlMnOp";
const user_id = "12345678901234567890";

test.each<ButtonAction>([
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
])("$kind fits into 64 bytes and is decoded unchanged", (action) => {
  const data = encodeAction(action);
  expect(Buffer.byteLength(data)).toBeLessThanOrEqual(64);
  expect(decodeAction(data)).toEqual(action);
});

test("an invalid page number becomes the first page", () => {
  expect(decodeAction("o::999999")).toEqual({ kind: "open", folder_id: null, page: 0 });
});

test.each(["", "z", "d", "d:x", "f", "c", "a:1", "toString", "o:x:-1:2".repeat(9)])(
  "%j is not decoded to an action that changes anything",
  (data) => {
    const action = decodeAction(data);
    expect(action === null || action.kind === "open").toBe(true);
  },
);

test("nonces are unique", () => {
  expect(new Set(Array.from({ length: 1_000 }, makeNonce)).size).toBe(1_000);
});
