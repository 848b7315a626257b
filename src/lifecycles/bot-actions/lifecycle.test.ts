import { describe, expect, test } from "vitest";
import { admitCreation, decideCreation, draftOf } from "../../core/index.ts";
import type { Actor, JsonObject, Task } from "../../core/index.ts";
import { testLifecycle } from "../../../test/support/lifecycle-grid.ts";
import { decideRequest, member, NOW, situationOf, SYSTEM, taskIn } from "../../../test/support/situation.ts";
import { cleanDisplayText } from "./display-text.ts";
import { botActions } from "./lifecycle.ts";

const ACTORS: Record<string, Actor> = {
  bot: member("bot", ["agent"], { kind: "service" }),
  stranger: member("stranger", ["agent"]),
  viewer: member("viewer", ["viewer"]),
  system: SYSTEM,
};

// Stored: displayText "Working", payload {step: 1}; the watchdog's timer has expired.
const GRID = `
action   | setup     | who           | processing | done     | error
start    | same      | bot, stranger | touched    | absorbed | absorbed
start    | silent    | bot           | touched    | absorbed | absorbed
start    | new text  | bot           | =          | absorbed | absorbed
start    | new load  | bot           | =          | absorbed | absorbed
start    | silent    | viewer        | x          | x        | x
start    | silent    | system        | x          | x        | x
update   | done      | bot, stranger | done       | absorbed | absorbed
update   | error     | bot, stranger | error      | absorbed | absorbed
update   | done new  | bot           | done       | =        | absorbed
update   | error new | bot           | error      | absorbed | =
update   | done      | viewer        | x          | x        | x
update   | done      | system        | x          | x        | x
time_out |           | system        | error      | .        | .
time_out |           | bot, stranger, viewer | x  | x        | x
`;

const PAYLOAD: Record<string, JsonObject> = {
  same: { displayText: " <b>Working</b> ", payload: { step: 1 } },
  silent: { displayText: null },
  "new text": { displayText: "Nearly there" },
  "new load": { payload: { step: 2 } },
  done: { status: "done" },
  error: { status: "error" },
  "done new": { status: "done", displayText: "Ready" },
  "error new": { status: "error", payload: { why: "disk" } },
};

function decided(
  status: string,
  action: string,
  who: string,
  payload: JsonObject = {},
  task: Partial<Task> = {},
) {
  const at = taskIn(botActions, status, {
    data: {
      chatId: "c1",
      actionId: "a1",
      actionType: "summarize",
      displayText: "Working",
      payload: { step: 1 },
    },
    due_at: status === "processing" ? NOW - 1 : null,
    due_action: status === "processing" ? "time_out" : null,
    ...task,
  });
  return decideRequest(botActions, situationOf(botActions, at, ACTORS[who] as Actor), { action, payload });
}

testLifecycle({
  lifecycle: botActions,
  actors: ACTORS,
  grid: GRID,
  decide: ({ status, action, actor, setup }) => decided(status, action, actor, PAYLOAD[setup]),
});

describe("the rules of bot-actions", () => {
  test("a repeated start restarts the watchdog's timer", () => {
    expect(decided("processing", "start", "bot")).toEqual({
      kind: "touched",
      patch: {},
      timer: { due_at: NOW + 2 * 3_600_000, due_action: "time_out" },
      lease: "keep",
    });
  });

  test.each([{}, { displayText: "<i></i>" }, { displayText: null, payload: null }])(
    "missing fields keep their stored values, and the event contains them: %j",
    (words) => {
      expect(decided("processing", "update", "bot", { status: "done", ...words })).toMatchObject({
        patch: { data: { displayText: "Working", payload: { step: 1 } } },
      });
    },
  );

  test.each([{ payload: { step: 1 } }, { payload: { step: 1.0 } }, { displayText: " Working<br>" }])(
    "repeated content does not count as a change: %j",
    (words) => {
      expect(decided("processing", "start", "bot", words)).toMatchObject({ kind: "touched" });
    },
  );

  test("a repeated -0, which JSON stores as 0, does not count as a change", () => {
    const data = { chatId: "c1", actionId: "a1", actionType: "x", displayText: null, payload: { step: 0 } };
    expect(decided("processing", "start", "bot", { payload: { step: -0 } }, { data })).toMatchObject({
      kind: "touched",
    });
  });

  test("the watchdog merges its reason into the payload, and does nothing before its time", () => {
    expect(decided("processing", "time_out", "system")).toMatchObject({
      to: "error",
      patch: { data: { payload: { step: 1, reason: "timeout" } } },
      timer: null,
    });
    expect(decided("processing", "time_out", "system", {}, { due_at: NOW + 1 })).toMatchObject({
      code: "NOT_DUE",
    });
  });
});

test("an action is identified by workspace, chat and actionId", () => {
  const key = (sent: JsonObject, project_id = "main") => {
    const admitted = admitCreation(botActions, ACTORS.bot as Actor, { actionType: "summarize", ...sent });
    if (admitted.kind === "refused") throw new Error(admitted.detail);
    const view = {
      input: admitted.input,
      actor: SYSTEM,
      settings: botActions.settings.parse({}),
      facts: { workspace: project_id },
      now: NOW,
    };
    const identity = { id: "1", org_id: "main", project_id, open_blockers: 0 };
    const draft = draftOf(botActions, view);
    expect(decideCreation(botActions, view, draft, identity)).toMatchObject({
      task: { status: "processing" },
    });
    return draft.dedupe_key;
  };
  expect(key({ chatId: "c", actionId: "a" })).toBe(key({ chatId: "c", actionId: "a", workspaceId: "main" }));
  expect(
    new Set([
      key({ chatId: "c", actionId: "a" }),
      key({ chatId: "d", actionId: "a" }),
      key({ chatId: "c", actionId: "a", workspaceId: "w" }, "w"),
    ]).size,
  ).toBe(3);
});

test("a workspaceId that differs from the project is refused", () => {
  const sent = { chatId: "c", actionId: "a", actionType: "summarize", workspaceId: "w" };
  const admitted = admitCreation(botActions, ACTORS.bot as Actor, sent);
  if (admitted.kind === "refused") throw new Error(admitted.detail);
  const settings = botActions.settings.parse({});
  const view = { input: admitted.input, actor: SYSTEM, settings, facts: { workspace: "main" }, now: NOW };
  const identity = { id: "1", org_id: "main", project_id: "main", open_blockers: 0 };
  expect(decideCreation(botActions, view, draftOf(botActions, view), identity)).toMatchObject({
    code: "VALIDATION_ERROR",
    params: { errors: [{ path: "workspaceId" }] },
  });
});

test.each([
  ["  Готовим стенограмму…  ", "Готовим стенограмму…"],
  ["<b>bold</b> and <i>it", "bold and it"],
  ["<<b>script>alert(1)<</b>/script>", "alert(1)"],
  ["<!-- <b> -->seen", "seen"],
  ["1 < 2 > 0", "1 < 2 > 0"],
  ["<img src=x onerror=alert(1)", null],
  ["   ", null],
  [null, null],
  ["👩‍👩‍👧‍👦".repeat(400), "👩‍👩‍👧‍👦".repeat(300)],
  [" first\n\nsecond\tthird \n", "first second third"],
  ["<p>Раз</p><p>Два</p>", "Раз Два"],
  ["<P class=a>Раз</P>\r\n<div\n>Два</div >три", "Раз Два три"],
  ["Раз<br>два<br/>три<BR />четыре", "Раз два три четыре"],
  ["<ul><li>Раз</li><li>два</li></ul>", "Раз два"],
  ["<tr><th>Раз</th><td>два</td></tr>", "Раз два"],
  ["<h1>Раз</h1>два<h6>три</h6>", "Раз два три"],
  ["<blockquote>Раз</blockquote>два<hr>три", "Раз два три"],
  ["<b>Раз</b><i>два</i><span>три</span><a href='/'>четыре</a>", "Раздватричетыре"],
  ["сло<wbr>во<picture>и<p-note>ещё<brx>раз<figcaptions>два", "словоиещёраздва"],
  ["сло<!-- p -->во", "слово"],
  ["<<p>script>alert(1)<</p>/script>", "< script>alert(1)< /script>"],
  ["<<b>p>Раз<</b>/p>два", "Раз два"],
  ["7\u00a0%", "7\u00a0%"],
  ["Раз\u2028два", "Раз два"],
  ["a<b", "a<b"],
  ["if x<y and (y)<z then stop", "if x<y and (y)<z then stop"],
  ["i <3 you, 1<2, a<=b", "i <3 you, 1<2, a<=b"],
  ["a<b>c</b>", "ac"],
  ["Hello<img src=x onerror=alert(1)", "Hello"],
  ["a<b <img src=x onerror=alert(1)", "a<b"],
  ["Use <b", "Use"],
  ["<b 1 < 2>bold</b\n>", "bold"],
  ["seen <!-- and not <b>", "seen"],
  ["<!-- a > b --><?xml version=1?><!DOCTYPE html>seen", "seen"],
  ["1 > 0 <b>bold</b>", "1 > 0 bold"],
  ["<>script>", "<>script>"],
  ["1<<!-- -->!-- hidden", "1"],
  ["a</b", "a"],
  // Entities are plain text here: they are not decoded, and never become a tag.
  ["Tom &amp; Jerry", "Tom &amp; Jerry"],
  ["&lt;script&gt;alert(1)&lt;/script&gt;", "&lt;script&gt;alert(1)&lt;/script&gt;"],
  ["<b>&#60;img src=x&#62;</b>", "&#60;img src=x&#62;"],
  ["👨‍💻 <b>Готовим</b> 🇷🇺", "👨‍💻 Готовим 🇷🇺"],
])("displayText %j is shown as %j", (text, shown) => {
  expect(cleanDisplayText(text)).toBe(shown);
  // Cleaning is idempotent.
  expect(cleanDisplayText(shown)).toBe(shown);
});

test.each<[string, string, string | null]>([
  ["tags that are never closed", "<a".repeat(300_000), null],
  ["many comparisons", `a${"<a".repeat(300_000)}`, "a<".repeat(150)],
  ["tags within tags", "<".repeat(20_000) + "b>".repeat(20_000), null],
  ["comments that are never closed", "<!--".repeat(300_000), null],
  ["attributes that are never closed", "a<b=".repeat(300_000), "a"],
  ["blanks before the text", `${" ".repeat(1_000_000)}<b>${" ".repeat(1_000_000)}text`, "text"],
  ["blocks before the text", `${"<p>".repeat(300_000)}text`, "text"],
  ["blocks within blocks", `${"<p".repeat(20_000)}${">".repeat(20_000)}text`, "text"],
  ["long names of tags", `<${"p".repeat(1_000_000)}>text`, "text"],
  ["blanks between words", `a${" \n".repeat(500_000)}b`, "a b"],
  ["markup before the text", `${"<b>".repeat(300_000)}text`, "text"],
  ["many accents", `a${"\u0301".repeat(1_000_000)}`, `a${"\u0301".repeat(31)}`],
  ["many accents, cut inside a surrogate pair", `a${"𝅭".repeat(200)}b`, `a${"𝅭".repeat(15)}b`],
])("%s take linear time", (_, text, shown) => {
  expect(cleanDisplayText(text)).toBe(shown);
});
