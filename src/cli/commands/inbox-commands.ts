import { Option } from "commander";
import { bindRole, discardRequests, listBindings, listInbox, retryRequests, unbindRole } from "../inbox.ts";
import type { AddCommands } from "../cli-environment.ts";
import { formatHelp, withServerOptions } from "./command-options.ts";

/** Adds `pawl inbox …`. */
export const addInboxCommands: AddCommands = (program, environment, setExitCode) => {
  const inbox = program
    .command("inbox")
    .summary("list, retry and discard requests from SQL; bind SQL roles")
    .description(
      "Manages the tasks that were requested in SQL with `pawl.enqueue`, and the SQL roles that may do so.",
    )
    .addHelpText("after", formatHelp(INBOX_HELP, environment));
  withServerOptions(inbox.command("list"))
    .summary("list the requests that wait or were refused")
    .description("Lists the requests that wait or were refused, newest first.")
    .addOption(new Option("--state <state>", "only requests in this state").choices(["waiting", "refused"]))
    .action(async (options: object) => {
      setExitCode(await listInbox(environment, options));
    });
  withServerOptions(inbox.command("retry"))
    .summary("try refused or postponed requests again")
    .description("Tries refused or postponed requests again. Exits with 3 if one is refused again.")
    .argument("[ids...]", "the ids of the requests")
    .option("--all", "every refused request")
    .action(async (ids: string[], options: object) => {
      setExitCode(await retryRequests(environment, { ids, ...options }));
    });
  withServerOptions(inbox.command("discard"))
    .summary("delete requests")
    .description("Deletes requests: their tasks are not created.")
    .argument("<ids...>", "the ids of the requests")
    .action(async (ids: string[], options: object) => {
      setExitCode(await discardRequests(environment, { ids, ...options }));
    });
  withServerOptions(inbox.command("bindings"))
    .summary("list the SQL roles that may act as members")
    .description("Lists the SQL roles that may act as members in `pawl.enqueue`.")
    .action(async (options: object) => {
      setExitCode(await listBindings(environment, options));
    });
  withServerOptions(inbox.command("bind"))
    .summary("let a SQL role act as a member")
    .description("Lets a SQL role act as a member in `pawl.enqueue`, and prints the GRANTs that it needs.")
    .argument("<role>", "the role of the database")
    .argument("<member>", "the id of the member")
    .action(async (role: string, member: string, options: object) => {
      setExitCode(await bindRole(environment, { role, member, ...options }));
    });
  withServerOptions(inbox.command("unbind"))
    .summary("stop a SQL role from acting as a member")
    .description("Stops a SQL role from acting as a member. Requests that it made before are not affected.")
    .argument("<role>", "the role of the database")
    .argument("<member>", "the id of the member")
    .action(async (role: string, member: string, options: object) => {
      setExitCode(await unbindRole(environment, { role, member, ...options }));
    });
};

const INBOX_HELP = `
Examples:
  pawl inbox bind shop ann
  pawl inbox list --state refused
  pawl inbox retry 0199c2f4-6a1e-7c43-9d0b-3f9a21bc7d04
  pawl inbox retry --all`;
