import type { Command } from "commander";
import { commaSeparated, withServerOptions } from "../../../plugin/index.ts";
import type { AddCommands } from "../../../plugin/index.ts";
import { listChats, readersCommand } from "./chat-commands.ts";

/** `pawl chats …` */
export const addChatCommands: AddCommands = (program, environment, setExitCode) => {
  const chats = program
    .command("chats")
    .summary("list chats, and restrict who reads them")
    .description("The chats in which bots work.");
  inWorkspace(chats.command("list"))
    .summary("list the chats that you may read")
    .description(
      "Lists the chats that you may read, last active first, with the actions that are processing.",
    )
    .action(async (options: Parameters<typeof listChats>[1]) => {
      setExitCode(await listChats(environment, options));
    });
  inWorkspace(chats.command("readers"))
    .summary("show or set who may read a chat")
    .description(
      "Shows who may read a chat. Admins can set the list; everybody else then gets 404, also bots and admins that are not on it.",
    )
    .argument("<chat>", "the chat's id")
    .option("--set <members>", "only these members may read it, separated by commas", commaSeparated)
    .option("--open", "every member of the project may read it")
    .action(async (chat: string, options: Omit<Parameters<typeof readersCommand>[1], "chat">) => {
      setExitCode(await readersCommand(environment, { ...options, chat }));
    });
};

function inWorkspace(command: Command): Command {
  return withServerOptions(command).option("-w, --workspace <id>", "the workspace (default: main)");
}
