import { Option } from "commander";
import type { Command } from "commander";
import {
  atServer,
  positiveInteger,
  print,
  withServerOptions,
  settingValues,
  commaSeparated,
  textTable,
  formatHelp,
} from "../../../plugin/index.ts";
import type { AddCommands, ConnectFlags, CliEnvironment } from "../../../plugin/index.ts";
import { DELIVERY_ROUTES, USER_STATUSES } from "../api.ts";
import type { DeliveryUser, UserStatus } from "../api.ts";
import { DELIVERY_SETTINGS } from "../settings.ts";
import { untilMoment } from "./moments.ts";
import { addRetryCommand } from "./retry-command.ts";
import type { ProcessDeps } from "../worker/run-processes.ts";

type Flags = ConnectFlags & { json?: true };
type DecisionFlags = Flags & { days?: number; until?: string };

/** `pawl delivery …` */
export const addDeliveryCommands: AddCommands = (program, environment, setExitCode) => {
  const delivery = program
    .command("delivery")
    .summary("run the bot and workers that deliver files; manage users")
    .description("Delivers files from storage to Telegram chats.")
    .addHelpText("after", formatHelp(HELP, environment));
  withServerOptions(delivery.command("bot"))
    .summary("run the Telegram bot")
    .description("Runs the Telegram bot until it is stopped.")
    .action((flags: Flags) => run(environment, flags, async (deps) => (await loadProcesses()).runBot(deps)));
  withServerOptions(delivery.command("worker"))
    .summary("deliver queued files")
    .description("Delivers queued files until it is stopped.")
    .option("--concurrency <n>", "maximum number of files delivered at the same time", positiveInteger, 2)
    .action(({ concurrency, ...flags }: Flags & { concurrency: number }) =>
      run(environment, flags, async (deps) => (await loadProcesses()).runWorker(deps, concurrency)),
    );
  withServerOptions(delivery.command("status"))
    .summary("show the queue, stuck jobs and workers")
    .description("Shows the queue, stuck jobs and workers.")
    .action(async (flags: Flags) => {
      setExitCode(await showStatus(environment, flags));
    });
  withServerOptions(delivery.command("users"))
    .summary("list users and requests for access")
    .description("Lists users and requests for access.")
    .option(
      "--status <status>",
      `only these statuses, separated by commas: ${USER_STATUSES.join(", ")}`,
      commaSeparated,
    )
    .action(async ({ status, ...flags }: Flags & { status?: UserStatus[] }) => {
      setExitCode(await listUsers(environment, flags, status));
    });
  addRetryCommand(delivery, environment, setExitCode);
  addDecisions(delivery, environment, setExitCode);
};

const DECISIONS = {
  approve: { summary: "grant a user access", description: "Grants a user access." },
  extend: { summary: "extend a user's access", description: "Extends a user's access." },
  block: { summary: "block a user", description: "Blocks a user." },
} as const;

function addDecisions(
  delivery: Command,
  environment: CliEnvironment,
  setExitCode: Parameters<AddCommands>[2],
): void {
  for (const decision of ["approve", "extend", "block"] as const) {
    const command = withServerOptions(delivery.command(decision))
      .summary(DECISIONS[decision].summary)
      .description(DECISIONS[decision].description)
      .argument("<user>", "the user's Telegram id");
    if (decision !== "block")
      command
        .option(
          "--days <n>",
          "days of access (default: the setting access_days of the project main)",
          positiveInteger,
        )
        .addOption(
          new Option(
            "--until <moment>",
            "end of the access, such as 2026-12-31 or 2026-12-31T18:00 (local time)",
          )
            .argParser(untilMoment)
            .conflicts("days"),
        );
    command.action(async (id: string, { json, days, until, ...flags }: DecisionFlags) => {
      const exit = await atServer(environment, flags, async ({ client }) => {
        const calls = client.calls(DELIVERY_ROUTES);
        const timed = {
          id,
          ...(days === undefined ? {} : { days }),
          ...(until === undefined ? {} : { until }),
        };
        const user = await (decision === "approve"
          ? calls.approveDeliveryUser(timed)
          : decision === "extend"
            ? calls.extendDeliveryUser(timed)
            : calls.blockDeliveryUser({ id }));
        return print(environment.out, { json, value: user, text: () => userTable([user], environment) });
      });
      setExitCode(exit);
    });
  }
}

/** Loaded on demand, because the Telegram library loads slowly. */
function loadProcesses() {
  return import("../worker/run-processes.ts");
}

async function run(
  environment: CliEnvironment,
  flags: Flags,
  work: (deps: ProcessDeps) => Promise<void>,
): Promise<void> {
  const { settings, log, secretFile } = await environment.startProcess("delivery", flags);
  environment.out.ignoreWriteErrors();
  await atServer(environment, flags, ({ client, target }) =>
    work({
      client,
      url: target.url,
      settings: { ...settingValues(DELIVERY_SETTINGS, settings), host: settings.host },
      log,
      secretFile,
      untilStopped: environment.untilStopped,
      printLine: (line) => {
        environment.out.write(`${line}\n`);
      },
    }),
  );
}

function showStatus(environment: CliEnvironment, { json, ...flags }: Flags) {
  const { out } = environment;
  return atServer(environment, flags, async ({ client }) => {
    const status = await client.calls(DELIVERY_ROUTES).getDeliveryStatus();
    const { queue, stuck, workers, source, outages } = status;
    return print(out, {
      json,
      value: status,
      text: () =>
        [
          Object.entries(queue)
            .map(([name, jobs]) => `${name} ${jobs}`)
            .join(" · "),
          ...stuck.map(
            ({ id, title, heartbeat_at }) => `stuck: ${title} (${id}), last heartbeat ${heartbeat_at ?? "?"}`,
          ),
          ...workers.map(
            ({ id, concurrency, heartbeat_at }) =>
              `worker ${id}: ${concurrency} at a time, last heartbeat ${heartbeat_at}`,
          ),
          ...(source
            ? [
                `the storage has rejected the token since ${source.needs_admin_since}; an admin must replace it: ${source.reason}`,
              ]
            : []),
          ...outages.map(
            ({ side, code, reason, since, probe_at }) =>
              `deliveries are paused since ${since} (${code}): ${reason}; next probe of ${side} ${probe_at}`,
          ),
        ].join("\n"),
    });
  });
}

function listUsers(environment: CliEnvironment, { json, ...flags }: Flags, status: UserStatus[] | undefined) {
  const { out } = environment;
  return atServer(environment, flags, async ({ client }) => {
    const calls = client.calls(DELIVERY_ROUTES);
    const users: DeliveryUser[] = [];
    for (let cursor: string | null | undefined; cursor !== null;) {
      const page = await calls.listDeliveryUsers({ status, cursor, limit: 200 });
      users.push(...page.users);
      cursor = page.cursor;
    }
    return print(out, { json, value: { users }, text: () => userTable(users, environment) });
  });
}

function userTable(users: readonly DeliveryUser[], { out }: CliEnvironment): string {
  if (users.length === 0) return "No users.";
  const rows = users.map(({ id, name, username, status, access_until }) => [
    id,
    username === null ? name : `${name} (@${username})`,
    status,
    access_until ?? "",
  ]);
  return textTable(["ID", "NAME", "STATUS", "ACCESS UNTIL"], rows, out);
}

const HELP = `
Examples:
  export PAWL_TELEGRAM_BOT_TOKEN=… PAWL_DELIVERY_ADMINS=<your Telegram id>
  export PAWL_DELIVERY_FOLDER=./library
  pawl delivery bot                      run the bot
  pawl delivery worker --concurrency 4   deliver files, here or on other machines
  pawl delivery users --status PENDING   list users who wait for approval
  pawl delivery approve 123456 --days 7
  pawl delivery extend 123456 --until 2026-12-31
  pawl delivery retry --since 2026-12-31 request files again that an outage has failed

All settings are in docs/configuration.md.`;
