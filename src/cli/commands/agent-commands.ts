import { Argument, Option } from "commander";
import { EXIT } from "../exit-code.ts";
import { setUpAgent } from "../set-up-agent.ts";
import type { SetUpFlags } from "../set-up-agent.ts";
import { AGENT_HOSTS } from "../cli-environment.ts";
import type { AgentHost, McpFlags } from "../cli-environment.ts";
import { dataOption, urlOption, withServerOptions, commaSeparated, formatHelp } from "./command-options.ts";
import type { AddCommands } from "../cli-environment.ts";

/** Adds the commands for AI agents: `pawl mcp` and `pawl setup`. */
export const addAgentCommands: AddCommands = (program, environment, setExitCode) => {
  program
    .command("mcp")
    .summary("serve the MCP tools on standard input and output")
    .description(
      "Serves the tools of the Model Context Protocol on standard input and output, for a client that starts this command itself. `pawl setup` writes the client's configuration. The server offers the same tools over HTTP at /mcp.",
    )
    .addOption(urlOption())
    .addOption(dataOption())
    .option(
      "--as <member>",
      "act as this member, with the token that `pawl setup` stored (default: PAWL_TOKEN)",
    )
    .addHelpText("after", formatHelp(MCP_HELP, environment))
    .action(async (flags: McpFlags) => {
      await environment.agents.serve(await environment.findServer(flags), flags);
      setExitCode(EXIT.fine);
    });
  withServerOptions(program.command("setup"))
    .summary("connect an AI agent: add its member, token and configuration")
    .description(
      "Connects an agent: with --write, it adds a member, creates its token, and writes the configuration of its client and a section of AGENTS.md. Without --write, it changes nothing and prints what it would do. Run it again at any time: it changes only what differs. Needs an admin's token.",
    )
    .addArgument(new Argument("<client>", "the agent's client").choices(AGENT_HOSTS))
    .option("--member <id>", "the member that the agent acts as (default: the client's name)")
    .option("--roles <roles>", "roles of a new member, separated by commas (default: agent)", commaSeparated)
    .option("--http", "connect over HTTP, with the token in the configuration")
    .addOption(
      new Option("--write", "add the member, create the token and write the files").conflicts("print"),
    )
    .addOption(new Option("--print", "change nothing, and print what would be done (default)"))
    .addHelpText("after", formatHelp(SETUP_HELP, environment))
    .action(async (host: AgentHost, flags: SetUpFlags) => {
      setExitCode(await setUpAgent(environment, { host, ...flags }));
    });
};

const MCP_HELP = `
Examples:
  pawl mcp                       use the server of this folder
  pawl mcp --as claude           act as the member that \`pawl setup claude\` added
  PAWL_URL=https://pawl.example.org PAWL_TOKEN=… pawl mcp`;

const SETUP_HELP = `
Examples:
  pawl setup claude              show what would be done, and change nothing
  pawl setup claude --write      do it
  pawl setup cursor --member reviewer --write
  pawl setup generic --http --write   write the configuration of an HTTP client`;
