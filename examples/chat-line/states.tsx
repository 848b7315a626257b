import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { BotActionIndicator, botActionTypes } from "pawl/react";
import type { BotAction } from "pawl/react";

let actions = 0;

function action(fields: Partial<BotAction> = {}): BotAction {
  const updatedAt = new Date(1_000 * actions++).toISOString();
  const chat = { workspaceId: "main", chatId: "demo", actionId: `a${actions}` };
  return { ...chat, actionType: "summarize", status: "processing", updatedAt, ...fields };
}

const done = action({ status: "done" });
const failed = action({ status: "error", displayText: "The recording is damaged" });
const LONG = "Reading a file with a very long name, which does not fit into the line of a narrow window";

/** All states of the line; the texts of an action are its displayText, or those of its type and status. */
const STATES: readonly (readonly [name: string, actions: readonly BotAction[]])[] = [
  ["Nothing to do: an empty live region", []],
  ...botActionTypes.map((actionType) => [`Processing: ${actionType}`, [action({ actionType })]] as const),
  ["Processing: a type without a text", [action({ actionType: "cook_dinner" })]],
  ["Processing, with a displayText", [action({ displayText: "Almost done…" })]],
  ["A long displayText is cut", [action({ displayText: LONG })]],
  ["Several actions: the last updated one", [action(), action(), action({ actionType: "process_file" })]],
  ["Done, for 1.8 seconds", [done]],
  ["Done, with a displayText", [action({ status: "done", displayText: "The summary is in the chat" })]],
  ["Failed, for 1.8 seconds", [action({ status: "error" })]],
  ["Failed, with a displayText", [failed]],
  ["Failed while another one is processing", [action(), failed]],
  ["All at once", [action(), action(), done, failed]],
];

function States() {
  return (
    <>
      <h1>States of the chat line</h1>
      <p>
        The line has no style sheet: it takes font and color from the page. The color of a status is the
        page’s choice, by <code>data-status</code>.
      </p>
      <table>
        <thead>
          <tr>
            <th scope="col">State</th>
            <th scope="col">English</th>
            <th scope="col">Russian</th>
          </tr>
        </thead>
        <tbody>
          {STATES.map(([name, shown]) => (
            <tr key={name}>
              <th scope="row">{name}</th>
              <td lang="en">
                <BotActionIndicator actions={shown} language="en" />
              </td>
              <td lang="ru">
                <BotActionIndicator actions={shown} language="ru" />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </>
  );
}

const root = document.getElementById("states");
if (root)
  createRoot(root).render(
    <StrictMode>
      <States />
    </StrictMode>,
  );
