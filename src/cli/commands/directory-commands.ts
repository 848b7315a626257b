import { Option } from "commander";
import type { Command } from "commander";
import { resetAdmin } from "../admin-database.ts";
import {
  addMember,
  changeMember,
  createToken,
  listMembers,
  listTokens,
  revokeToken,
  rotateToken,
} from "../members.ts";
import type { MemberFlags } from "../members.ts";
import { printLoginLink } from "../login-link.ts";
import { addProject, listProjects } from "../projects.ts";
import type { ServerFlags } from "../cli-environment.ts";
import {
  configOption,
  dataOption,
  jsonObject,
  jsonOption,
  numberBetween,
  positiveInteger,
  withServerOptions,
  commaSeparated,
  formatHelp,
} from "./command-options.ts";
import type { AddCommands } from "../cli-environment.ts";

/** Adds `pawl members …`, `pawl login-link`, `pawl tokens …` and `pawl projects …`. */
export const addDirectoryCommands: AddCommands = (program, environment, setExitCode) => {
  addMembers(program, environment, setExitCode);
  addLoginLink(program, environment, setExitCode);
  addTokens(program, environment, setExitCode);
  addProjects(program, environment, setExitCode);
};

const addMembers: AddCommands = (program, environment, setExitCode) => {
  const members = program
    .command("members")
    .summary("list, add and change members")
    .description("Manages the members of your org: people, agents, workers and services.")
    .addHelpText("after", formatHelp(MEMBERS_HELP, environment));
  withServerOptions(members.command("list"))
    .summary("list the members")
    .description("Lists the members.")
    .action(async (options: object) => {
      setExitCode(await listMembers(environment, options));
    });
  withMemberOptions(members.command("add"))
    .summary("add a member")
    .description("Adds a member.")
    .argument("<id>", "the id of the new member")
    .action(async (id: string, options: MemberFlags) => {
      setExitCode(await addMember(environment, { id, ...options }));
    });
  withMemberOptions(members.command("change"))
    .summary("change a member")
    .description("Changes a member; values without an option are kept.")
    .argument("<id>", "the id of the member")
    .option("--active", "activate the member again")
    .option("--no-active", "deactivate the member: its tokens are refused")
    .action(async (id: string, options: MemberFlags) => {
      setExitCode(await changeMember(environment, { id, ...options }));
    });
};

const addLoginLink: AddCommands = (program, environment, setExitCode) => {
  withServerOptions(program.command("login-link"))
    .summary("print a link that signs a member in to the console")
    .description(
      "Prints a link that signs a member in to the console, once and within 10 minutes. It works for anyone who opens it first: send it only to its member.",
    )
    .argument("[member]", "the id of the member (default: the member of your token)")
    .addHelpText("after", formatHelp(LOGIN_LINK_HELP, environment))
    .action(async (member: string | undefined, options: object) => {
      setExitCode(
        await printLoginLink(environment, { ...(member === undefined ? {} : { member }), ...options }),
      );
    });
};

function withMemberOptions(command: Command): Command {
  return withServerOptions(command)
    .option("--name <name>", "display name")
    .addOption(new Option("--kind <kind>", "kind of member").choices(["human", "agent", "worker", "service"]))
    .option(
      "--roles <roles>",
      "roles, separated by commas: admin, viewer, agent, worker, or your own",
      commaSeparated,
    )
    .option(
      "--projects <ids>",
      "projects that the member may see, separated by commas, or `all`",
      commaSeparated,
    )
    .option("--skill-level <level>", "skill level from 1 to 10", positiveInteger)
    .option("--specializations <names>", "specializations, separated by commas", commaSeparated);
}

const addTokens: AddCommands = (program, environment, setExitCode) => {
  const tokens = program
    .command("tokens")
    .summary("list, create, rotate and revoke tokens; replace the admin token")
    .description("Manages the tokens that members authenticate with.")
    .addHelpText("after", formatHelp(TOKENS_HELP, environment));
  withServerOptions(tokens.command("list"))
    .summary("list tokens")
    .description(
      "Lists the valid tokens of a member, or of all members. The tokens themselves are not shown: each is printed once, when it is created.",
    )
    .argument("[member]", "only the tokens of this member")
    .option("--all", "list revoked and expired tokens as well")
    .action(async (member: string | undefined, options: object) => {
      setExitCode(await listTokens(environment, { ...(member === undefined ? {} : { member }), ...options }));
    });
  withServerOptions(tokens.command("create"))
    .summary("create a token for a member")
    .description("Creates a token for a member. The token is printed once; the server stores only its hash.")
    .argument("<member>", "the id of the member")
    .option("--name <name>", "a name that distinguishes the member's tokens")
    .option("--days <days>", "days until it expires (default: never)", positiveInteger)
    .action(async (member: string, options: object) => {
      setExitCode(await createToken(environment, { member, ...options }));
    });
  withServerOptions(tokens.command("rotate"))
    .summary("replace a token by a new one")
    .description(
      "Creates a token with the name and lifetime of another, which expires after the overlap. The new token is printed once.",
    )
    .argument("<id>", "the token's id, not the token itself")
    .option(
      "--overlap-hours <hours>",
      "how long the old token stays valid (default: 24)",
      numberBetween(0, 720),
    )
    .action(async (id: string, options: object) => {
      setExitCode(await rotateToken(environment, { id, ...options }));
    });
  withServerOptions(tokens.command("revoke"))
    .summary("revoke a token")
    .description("Revokes a token: the next request with it is refused.")
    .argument("<id>", "the token's id, not the token itself")
    .action(async (id: string, options: object) => {
      setExitCode(await revokeToken(environment, { id, ...options }));
    });
  tokens
    .command("reset-admin")
    .summary("replace the token of the member `admin`, on the machine with the database")
    .description(
      "Creates a new token for the member `admin`, on the machine with the database. Makes `admin` an active admin again, and revokes the tokens that Pawl created for it earlier.",
    )
    .option("--org <id>", "the org", "main")
    .addOption(dataOption())
    .addOption(configOption())
    .addOption(jsonOption())
    .action(async (flags: ServerFlags & { org: string; json?: true }) => {
      setExitCode(await resetAdmin(environment, flags));
    });
};

const addProjects: AddCommands = (program, environment, setExitCode) => {
  const projects = program
    .command("projects")
    .summary("list and add projects")
    .description("Manages the projects of your org, each with its own settings.")
    .addHelpText("after", formatHelp(PROJECTS_HELP, environment));
  withServerOptions(projects.command("list"))
    .summary("list the projects that you may see")
    .description("Lists the projects that you may see.")
    .action(async (options: object) => {
      setExitCode(await listProjects(environment, options));
    });
  withServerOptions(projects.command("add"))
    .summary("add a project")
    .description("Adds a project.")
    .argument("<id>", "the id of the new project")
    .option("--name <name>", "display name")
    .option("--settings <json>", "settings by lifecycle, as JSON", jsonObject)
    .action(async (id: string, options: object) => {
      setExitCode(await addProject(environment, { id, ...options }));
    });
};

const MEMBERS_HELP = `
Examples:
  pawl members add bob --kind agent --roles agent
  pawl members change bob --roles agent,lead --projects web,docs
  pawl members change bob --no-active`;

const LOGIN_LINK_HELP = `
Examples:
  pawl login-link                for the member of your token
  pawl login-link ann
  pawl login-link ann --json | jq --raw-output .link

The address is that of PAWL_PUBLIC_URL, otherwise the one that this command calls.`;

const TOKENS_HELP = `
Examples:
  pawl tokens list bob
  pawl tokens create bob --name laptop --days 90
  pawl tokens rotate 0199c2f4-6a1e-7c43-9d0b-3f9a21bc7d04 --overlap-hours 2
  pawl tokens revoke 0199c2f4-6a1e-7c43-9d0b-3f9a21bc7d04
  pawl tokens reset-admin`;

const PROJECTS_HELP = `
Examples:
  pawl projects add web --name "The web site"
  pawl projects add floor --settings '{"board": {"status_deadlines": {"NEW": 60}}}'`;
