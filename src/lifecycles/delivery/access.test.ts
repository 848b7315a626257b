import { expect, test } from "vitest";
import { decideAccess } from "./access.ts";
import type { Decision } from "./access.ts";
import type { UserStatus } from "./api.ts";

const NOW = 1_000_000;
const DAY = 86_400_000;
const later = NOW + DAY;

// The user's access, a decision for 2 days, and the resulting access; "unchanged": nothing changes.
test.each<[UserStatus, number | null, Decision, unknown]>([
  ["PENDING", null, "approve", { status: "ACTIVE", access_until: NOW + 2 * DAY }],
  ["ACTIVE", later, "approve", "unchanged"],
  ["EXPIRED", NOW - DAY, "approve", { status: "ACTIVE", access_until: NOW + 2 * DAY }],
  ["BLOCKED", null, "approve", { status: "ACTIVE", access_until: NOW + 2 * DAY }],
  ["PENDING", null, "extend", "USER_NOT_ACTIVE"],
  ["ACTIVE", later, "extend", { status: "ACTIVE", access_until: later + 2 * DAY }],
  ["EXPIRED", NOW - DAY, "extend", { status: "ACTIVE", access_until: NOW + 2 * DAY }],
  ["BLOCKED", null, "extend", "USER_NOT_ACTIVE"],
  ["PENDING", null, "block", { status: "BLOCKED", access_until: null }],
  ["ACTIVE", later, "block", { status: "BLOCKED", access_until: null }],
  ["EXPIRED", NOW - DAY, "block", { status: "BLOCKED", access_until: null }],
  ["BLOCKED", null, "block", "unchanged"],
])("%s until %s --%s--> %o", (status, access_until, decision, expected) => {
  const decided = decideAccess(decision, { id: "1", status, access_until }, { now: NOW, days: 2 });
  expect(decided === null ? "unchanged" : "code" in decided ? decided.code : decided).toEqual(expected);
});

test.each<[UserStatus, Decision, unknown]>([
  ["PENDING", "approve", { status: "ACTIVE", access_until: later }],
  ["ACTIVE", "approve", "unchanged"],
  ["ACTIVE", "extend", { status: "ACTIVE", access_until: later }],
  ["EXPIRED", "extend", { status: "ACTIVE", access_until: later }],
  ["BLOCKED", "extend", "USER_NOT_ACTIVE"],
])("%s --%s until a date--> %o", (status, decision, expected) => {
  const user = { id: "1", status, access_until: NOW + 9 * DAY };
  const decided = decideAccess(decision, user, { now: NOW, days: 2, until: later });
  expect(decided === null ? "unchanged" : "code" in decided ? decided.code : decided).toEqual(expected);
});
