import { Argument, Option } from "commander";
import { EXIT } from "../exit-code.ts";
import { setUpAgent } from "../set-up-agent.ts";
import type { SetUpFlags } from "../set-up-agent.ts";
import { AGENT_HOSTS } from "../surroundings.ts";
import type { AgentHost, McpFlags } from "../surroundings.ts";
import { dataOption, reaching, several, titled } from "./command-options.ts";
import type { AddCommands } from "../surroundings.ts";

/** For AI agents: `pawl mcp`, `pawl setup` */
export const addAgentCommands: AddCommands = (program, surroundings, leave) => {
  program
    .command("mcp")
    .summary("serve an agent's tools on standard input and output")
    .description(
      "Serves the tools of the Model Context Protocol on standard input and output, for a client that starts this by itself. `pawl setup` writes such a client's configuration. The server has the same tools over HTTP at /mcp.",
    )
    .addOption(new Option("--url <url>", "the server (default: PAWL_URL, or the one that runs on --data)"))
    .addOption(dataOption())
    .option(
      "--as <member>",
      "act as this member, with the token that `pawl setup` keeps (default: PAWL_TOKEN)",
    )
    .addHelpText("after", titled(MCP_HELP, surroundings))
    .action(async (flags: McpFlags) => {
      await surroundings.agents.serve(await surroundings.findServer(flags), flags);
      leave(EXIT.fine);
    });
  reaching(program.command("setup"))
    .summary("let an AI agent join: its member, its token, its client's configuration")
    .description(
      "Adds a member for an agent, makes its token, and prints or writes the configuration of its client and a section of AGENTS.md. Can be run again: it changes nothing that is as it should be. Needs an admin's token.",
    )
    .addArgument(new Argument("<client>", "the agent's client").choices(AGENT_HOSTS))
    .option("--member <id>", "whom the agent acts as (default: the client's name)")
    .option("--roles <roles>", "of a member that is added, separated by commas (default: agent)", several)
    .option("--http", "reach the server over HTTP, with the token in the configuration")
    .addOption(new Option("--write", "write the files").conflicts("print"))
    .addOption(new Option("--print", "print what would stand in the files; this is the default"))
    .addHelpText("after", titled(SETUP_HELP, surroundings))
    .action(async (host: AgentHost, flags: SetUpFlags) => {
      leave(await setUpAgent(surroundings, { host, ...flags }));
    });
};

const MCP_HELP = `
Examples:
  pawl mcp                       the server that runs here
  pawl mcp --as claude           as the member that \`pawl setup claude\` added
  PAWL_URL=https://pawl.example.org PAWL_TOKEN=… pawl mcp`;

const SETUP_HELP = `
Examples:
  pawl setup claude              print .mcp.json and the section of AGENTS.md
  pawl setup claude --write      write them
  pawl setup cursor --member reviewer --write
  pawl setup generic --http      the configuration of any client that speaks HTTP`;
