import { describe, expect, test } from "vitest";
import { creation, rule, ticket } from "../../test/support/ticket.ts";
import type { PawlError } from "./problems.ts";

describe("defineLifecycle reports a", () => {
  test.each<[string, Record<string, unknown>, string]>([
    [
      "guard that is missing",
      { guards: { paid: undefined } },
      'guard "paid" must be a function, but is missing',
    ],
    [
      "guard that is a string",
      { guards: { paid: "yes" } },
      'guard "paid" must be a function, but is the string "yes"',
    ],
    [
      "guard of a rule that is missing",
      { rules: [{ ...rule, guards: ["paid"] }], guards: { paid: undefined } },
      'guard "paid" must be a function, but is missing',
    ],
    [
      "invariant that is not a function",
      { invariants: { "it holds": true } },
      'invariant "it holds" must be a function, but is true',
    ],
    [
      "refusal that is not a function",
      { wrong_status_refusals: { close: {} } },
      'wrong_status_refusals "close" must be a function, but is an object',
    ],
    [
      "effect that is null",
      { effects: { pay: null } },
      'effect "pay" must be a function or an object with change, side_effects, comment, payload, timer, lease, but is null',
    ],
    [
      "effect without keys",
      { effects: { pay: {} } },
      'effect "pay" is empty: it needs at least one of change,',
    ],
    [
      "effect with a misspelt key",
      { effects: { pay: { chnage: () => ({}) } } },
      'effect "pay" has an unknown key "chnage"; did you mean "change"?',
    ],
    [
      "effect with a value that is not a function",
      { effects: { pay: { side_effects: [] } } },
      'effect "pay": "side_effects" must be a function, but is a list',
    ],
    [
      "effect that opens a lease",
      { effects: { pay: { lease: "open" } } },
      'effect "pay": "lease" can only be "close", but is the string "open"',
    ],
    [
      "who that is a function",
      { who: { owner: () => true } },
      'who "owner" must be an object with a label and a test, but is a function',
    ],
    [
      "who without a test",
      { who: { owner: { label: "owner" } } },
      'who "owner": "test" must be a function, but is missing',
    ],
    [
      "who without a label",
      { who: { owner: { test: () => true } } },
      'who "owner": "label" must be a string, but is missing',
    ],
    [
      "rule without who",
      { rules: [{ ...rule, who: undefined }] },
      'rule 1 (close): "who" must be a name or a list of names, but is missing',
    ],
    [
      "action with an unknown permission",
      { actions: { close: { permission: "tickets.clsoe" } }, permissions: { "tickets.close": ["lead"] } },
      'action "close" names the unknown permission "tickets.clsoe"; did you mean "tickets.close"?',
    ],
    [
      "creation with an unknown permission",
      {
        creation: { ...creation([{ status: "open" }]), permission: "task.crate" },
        permissions: { "task.close": ["lead"] },
      },
      'creation names the unknown permission "task.crate"; did you mean "task.create"?',
    ],
    [
      "permission of a misspelt action",
      { permissions: { "task.clsoe": ["lead"] } },
      'permissions list "task.clsoe", which no action needs; did you mean "task.close"?',
    ],
  ])("%s", (_, broken, message) => {
    expect(() => ticket(broken)).toThrow(message);
    expect(() => ticket(broken)).toThrow(expect.objectContaining({ code: "INVALID_LIFECYCLE" }) as PawlError);
  });

  test.each<[string, Record<string, unknown>]>([
    [
      "a permission of a route",
      { permissions: { "task.read": ["lead"], "task.print": [], "hold.place": [] } },
    ],
    [
      "an action under the permission of another",
      {
        actions: { close: { permission: "task.drop" }, drop: {} },
        rules: [rule, { ...rule, action: "drop" }],
        permissions: { "task.create": ["lead"] },
      },
    ],
    ["a permission where none is declared", { actions: { close: { permission: "tickets.close" } } }],
    ["an effect that only closes the lease", { effects: { let_go: { lease: "close" } } }],
  ])("but accepts %s", (_, definition) => {
    expect(() => ticket(definition)).not.toThrow();
  });
});
