import { expect, test } from "vitest";
import { Sender } from "../../../src/lifecycles/delivery/worker/sender.ts";

const MB = 1024 * 1024;

test.each([
  ["https://api.telegram.org", 50],
  ["http://127.0.0.1:8081", 2_000],
])("the Bot API server %s accepts files of up to %i MB, and the refusal has the limit", (apiUrl, limit) => {
  const sender = new Sender({ botToken: "1:a", apiUrl, stallMs: 1_000, answerMs: 1_000 });
  sender.expectSize(limit * MB);
  expect(() => {
    sender.expectSize(limit * MB + 1);
  }).toThrow(`larger than ${limit} MB`);
});
