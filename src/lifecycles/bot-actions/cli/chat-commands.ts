import { atServer, CliError, EXIT, oneLine, print, textTable } from "../../../plugin/index.ts";
import type { CliEnvironment, ConnectFlags, ExitCode } from "../../../plugin/index.ts";
import { BOT_ACTIONS_ROUTES } from "../api.ts";
import type { ChatReaders, ListedChat } from "../bot-action.ts";

type Flags = ConnectFlags & { json?: true; workspace?: string };

const HEAD = ["chat", "readers", "actions", "newest", "last activity"];

/** `pawl chats list` */
export function listChats(
  environment: CliEnvironment,
  { workspace, json, ...flags }: Flags,
): Promise<ExitCode> {
  const { out } = environment;
  return atServer(environment, flags, async ({ client }) => {
    const found = await client.calls(BOT_ACTIONS_ROUTES).listChats({ workspaceId: workspace });
    const text = () =>
      found.chats.length === 0 ? "No chat has had an event." : textTable(HEAD, found.chats.map(cellsOf), out);
    return print(out, { json, value: found, text });
  });
}

function cellsOf({ chatId, processing, action, restricted, lastActivityAt }: ListedChat): string[] {
  const busy = processing === 0 ? "" : `${processing} processing`;
  return [
    oneLine(chatId),
    restricted ? "restricted" : "",
    busy,
    oneLine(action?.displayText ?? action?.actionType ?? ""),
    lastActivityAt,
  ];
}

/** `pawl chats readers <chat>` */
export function readersCommand(
  environment: CliEnvironment,
  {
    chat: chatId,
    set,
    open,
    workspace,
    json,
    ...flags
  }: Flags & { chat: string; set?: string[]; open?: true },
): Promise<ExitCode> {
  const { out } = environment;
  if (set && open) throw new CliError(EXIT.usage, "Use either --set or --open.");
  return atServer(environment, flags, async ({ client }) => {
    const { getChatReaders, setChatReaders } = client.calls(BOT_ACTIONS_ROUTES);
    const list =
      set || open
        ? await setChatReaders({ chatId, workspaceId: workspace, readers: set ?? null })
        : await getChatReaders({ chatId, workspaceId: workspace });
    return print(out, { json, value: list, text: () => textOf(list) });
  });
}

function textOf({ chatId, readers }: ChatReaders): string {
  const who = readers === null ? "every member of the project" : readers.join(", ");
  return `${oneLine(chatId)} is readable by ${who}.`;
}
