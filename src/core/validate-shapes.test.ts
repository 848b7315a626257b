import { describe, expect, test } from "vitest";
import { creation, rule, ticket } from "../../test/support/ticket.ts";
import type { PawlError } from "./problems.ts";

describe("defineLifecycle reports a", () => {
  test.each<[string, Record<string, unknown>, string]>([
    ["guard that is missing", { guards: { paid: undefined } }, 'guard "paid" is missing, not a function'],
    ["guard that is a text", { guards: { paid: "yes" } }, 'guard "paid" is the text "yes", not a function'],
    [
      "guard of a rule that is missing",
      { rules: [{ ...rule, guards: ["paid"] }], guards: { paid: undefined } },
      'guard "paid" is missing, not a function',
    ],
    [
      "invariant that is not a function",
      { invariants: { "it holds": true } },
      'invariant "it holds" is true, not a',
    ],
    [
      "refusal that is not a function",
      { not_from_here: { close: {} } },
      'not_from_here "close" is an object, not a',
    ],
    [
      "effect that is missing",
      { effects: { pay: null } },
      'effect "pay" is null, not a function or its parts (change, also, comment, timer, lease)',
    ],
    ["effect without parts", { effects: { pay: {} } }, 'effect "pay" has none of its parts (change,'],
    [
      "effect with a misspelt part",
      { effects: { pay: { chnage: () => ({}) } } },
      'effect "pay" has the unknown part "chnage"; did you mean "change"?',
    ],
    [
      "effect with a part that is not a function",
      { effects: { pay: { also: [] } } },
      'effect "pay": "also" is a list, not a function',
    ],
    [
      "effect that opens a lease",
      { effects: { pay: { lease: "open" } } },
      'effect "pay": "lease" is the text "open" and can only be "close"',
    ],
    ["who that is a function", { who: { owner: () => true } }, 'who "owner" is a function, not an object'],
    [
      "who without a test",
      { who: { owner: { label: "owner" } } },
      'who "owner": "test" is missing, not a function',
    ],
    ["who without a label", { who: { owner: { test: () => true } } }, 'who "owner": "label" is missing'],
    [
      "rule without who",
      { rules: [{ ...rule, who: undefined }] },
      'rule 1 (close): "who" is missing, not a name',
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
