import { Option } from "commander";
import type { Command } from "commander";
import { resetAdmin } from "../keep-house.ts";
import { addMember, changeMember, createToken, listMembers, revokeToken } from "../keep-members.ts";
import type { MemberFlags } from "../keep-members.ts";
import { addProject, listProjects } from "../keep-projects.ts";
import type { ServerFlags } from "../surroundings.ts";
import {
  configOption,
  dataOption,
  jsonObject,
  jsonOption,
  positiveNumber,
  reaching,
  several,
  titled,
} from "./command-options.ts";
import type { AddCommands } from "../surroundings.ts";

/** Who is who: `pawl members …`, `pawl tokens …`, `pawl projects …` */
export const addDirectoryCommands: AddCommands = (program, surroundings, leave) => {
  addMembers(program, surroundings, leave);
  addTokens(program, surroundings, leave);
  addProjects(program, surroundings, leave);
};

const addMembers: AddCommands = (program, surroundings, leave) => {
  const members = program
    .command("members")
    .summary("list, add and change those who act")
    .description("The members of your org: people, agents, workers and services.")
    .addHelpText("after", titled(MEMBERS_HELP, surroundings));
  reaching(members.command("list"))
    .description("Lists the members.")
    .action(async (options: object) => {
      leave(await listMembers(surroundings, options));
    });
  described(members.command("add"))
    .description("Adds a member.")
    .argument("<id>", "the id of the new member")
    .action(async (id: string, options: MemberFlags) => {
      leave(await addMember(surroundings, { id, ...options }));
    });
  described(members.command("change"))
    .description("Changes what is given of a member.")
    .argument("<id>", "the member")
    .option("--active", "switch the member on again")
    .option("--no-active", "switch the member off: his tokens are refused")
    .action(async (id: string, options: MemberFlags) => {
      leave(await changeMember(surroundings, { id, ...options }));
    });
};

function described(command: Command): Command {
  return reaching(command)
    .option("--name <name>", "what people call the member")
    .addOption(new Option("--kind <kind>", "what it is").choices(["human", "agent", "worker", "service"]))
    .option(
      "--roles <roles>",
      "separated by commas: admin, viewer, agent, worker, or words of your own",
      several,
    )
    .option(
      "--projects <ids>",
      "the only projects to be seen, separated by commas; `all` for every one",
      several,
    )
    .option("--skill-level <level>", "from 1 to 10", positiveNumber)
    .option("--specializations <trades>", "separated by commas", several);
}

const addTokens: AddCommands = (program, surroundings, leave) => {
  const tokens = program
    .command("tokens")
    .summary("make and revoke tokens; give the admin a new one")
    .description("Tokens, with which members show who they are.")
    .addHelpText("after", titled(TOKENS_HELP, surroundings));
  reaching(tokens.command("create"))
    .description("Makes a token for a member. It is shown once and kept nowhere.")
    .argument("<member>", "the id of the member")
    .action(async (member: string, options: object) => {
      leave(await createToken(surroundings, { member, ...options }));
    });
  reaching(tokens.command("revoke"))
    .description("Revokes a token: it is refused from the next request on.")
    .argument("<id>", "the token's id, not the token itself")
    .action(async (id: string, options: object) => {
      leave(await revokeToken(surroundings, { id, ...options }));
    });
  tokens
    .command("reset-admin")
    .description(
      "Makes a new token for the member `admin`, on the machine that holds the database. He is an active admin again if he was not, and the tokens that Pawl made for him before are refused from then on.",
    )
    .option("--org <id>", "the org", "main")
    .addOption(dataOption())
    .addOption(configOption())
    .addOption(jsonOption())
    .action(async (flags: ServerFlags & { org: string; json?: true }) => {
      leave(await resetAdmin(surroundings, flags));
    });
};

const addProjects: AddCommands = (program, surroundings, leave) => {
  const projects = program
    .command("projects")
    .summary("list and add projects")
    .description("The projects of your org, each with settings of its own.")
    .addHelpText("after", titled(PROJECTS_HELP, surroundings));
  reaching(projects.command("list"))
    .description("Lists the projects that you may see.")
    .action(async (options: object) => {
      leave(await listProjects(surroundings, options));
    });
  reaching(projects.command("add"))
    .description("Adds a project.")
    .argument("<id>", "the id of the new project")
    .option("--name <name>", "what people call it")
    .option("--settings <json>", "by lifecycle, as JSON", jsonObject)
    .action(async (id: string, options: object) => {
      leave(await addProject(surroundings, { id, ...options }));
    });
};

const MEMBERS_HELP = `
Examples:
  pawl members add bob --kind agent --roles agent
  pawl members change bob --roles agent,lead --projects web,docs
  pawl members change bob --no-active`;

const TOKENS_HELP = `
Examples:
  pawl tokens create bob
  pawl tokens revoke 0199c2f4-6a1e-7c43-9d0b-3f9a21bc7d04
  pawl tokens reset-admin`;

const PROJECTS_HELP = `
Examples:
  pawl projects add web --name "The web site"
  pawl projects add floor --settings '{"board": {"status_deadlines": {"NEW": 60}}}'`;
