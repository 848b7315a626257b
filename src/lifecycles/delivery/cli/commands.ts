import type { Command } from "commander";
import {
  atServer,
  positiveNumber,
  print,
  reaching,
  settingValues,
  several,
  textTable,
  titled,
} from "../../../plugin/index.ts";
import type { AddCommands, ReachFlags, Surroundings } from "../../../plugin/index.ts";
import { DELIVERY_ROUTES, USER_STATUSES } from "../api.ts";
import type { DeliveryUser, UserStatus } from "../api.ts";
import { DELIVERY_SETTINGS } from "../settings.ts";
import type { Ground } from "../worker/run-processes.ts";

type Flags = ReachFlags & { json?: true };

/** `pawl delivery …` */
export const addDeliveryCommands: AddCommands = (program, surroundings, leave) => {
  const delivery = program
    .command("delivery")
    .summary("run the bot and the workers that deliver files; decide about users")
    .description("Files from storage into Telegram chats.")
    .addHelpText("after", titled(HELP, surroundings));
  reaching(delivery.command("bot"))
    .description("Runs the Telegram bot until it is stopped.")
    .action((flags: Flags) => run(surroundings, flags, async (ground) => (await processes()).runBot(ground)));
  reaching(delivery.command("worker"))
    .description("Delivers what is queued until it is stopped.")
    .option("--concurrency <n>", "how many files at a time", positiveNumber, 2)
    .action(({ concurrency, ...flags }: Flags & { concurrency: number }) =>
      run(surroundings, flags, async (ground) => (await processes()).runWorker(ground, concurrency)),
    );
  reaching(delivery.command("status"))
    .description("Shows how the queue stands, what is stuck, and who works.")
    .action(async (flags: Flags) => {
      leave(await showStatus(surroundings, flags));
    });
  reaching(delivery.command("users"))
    .description("Lists those who may ask for files, or want to.")
    .option("--status <status>", `only these: ${USER_STATUSES.join(", ")}`, several)
    .action(async ({ status, ...flags }: Flags & { status?: UserStatus[] }) => {
      leave(await listUsers(surroundings, flags, status));
    });
  addDecisions(delivery, surroundings, leave);
};

const DECISIONS = {
  approve: "Gives a user access.",
  extend: "Gives a user access for longer.",
  block: "Takes a user's access away.",
} as const;

function addDecisions(
  delivery: Command,
  surroundings: Surroundings,
  leave: Parameters<AddCommands>[2],
): void {
  for (const decision of ["approve", "extend", "block"] as const) {
    const command = reaching(delivery.command(decision))
      .description(DECISIONS[decision])
      .argument("<user>", "the user's Telegram id");
    if (decision !== "block")
      command.option("--days <n>", "for how long (default: the project's access_days)", positiveNumber);
    command.action(async (id: string, { json, days, ...flags }: Flags & { days?: number }) => {
      const exit = await atServer(surroundings, flags, async ({ client }) => {
        const calls = client.calls(DELIVERY_ROUTES);
        const timed = days === undefined ? { id } : { id, days };
        const user = await (decision === "approve"
          ? calls.approveDeliveryUser(timed)
          : decision === "extend"
            ? calls.extendDeliveryUser(timed)
            : calls.blockDeliveryUser({ id }));
        return print(surroundings.out, { json, value: user, text: () => userTable([user], surroundings) });
      });
      leave(exit);
    });
  }
}

/** Not before they are needed: the Telegram library takes its time. */
function processes() {
  return import("../worker/run-processes.ts");
}

async function run(
  surroundings: Surroundings,
  flags: Flags,
  work: (ground: Ground) => Promise<void>,
): Promise<void> {
  const { settings, log, secretFile } = await surroundings.startProcess("delivery", flags);
  surroundings.out.keepGoing();
  await atServer(surroundings, flags, ({ client, place }) =>
    work({
      client,
      url: place.url,
      settings: { ...settingValues(DELIVERY_SETTINGS, settings), host: settings.host },
      log,
      secret: secretFile,
      untilStopped: surroundings.untilStopped,
      tell: (line) => {
        surroundings.out.write(`${line}\n`);
      },
    }),
  );
}

function showStatus(surroundings: Surroundings, { json, ...flags }: Flags) {
  const { out } = surroundings;
  return atServer(surroundings, flags, async ({ client }) => {
    const status = await client.calls(DELIVERY_ROUTES).getDeliveryStatus();
    const { queue, stuck, workers, source } = status;
    return print(out, {
      json,
      value: status,
      text: () =>
        [
          Object.entries(queue)
            .map(([name, jobs]) => `${name} ${jobs}`)
            .join(" · "),
          ...stuck.map(
            ({ id, title, heartbeat_at }) =>
              `stuck: ${title} (${id}), not heard of since ${heartbeat_at ?? "?"}`,
          ),
          ...workers.map(
            ({ id, concurrency, heartbeat_at }) =>
              `worker ${id}: ${concurrency} at a time, heard of at ${heartbeat_at}`,
          ),
          ...(source
            ? [`the storage needs an admin since ${source.needs_admin_since}: ${source.reason}`]
            : []),
        ].join("\n"),
    });
  });
}

function listUsers(surroundings: Surroundings, { json, ...flags }: Flags, status: UserStatus[] | undefined) {
  const { out } = surroundings;
  return atServer(surroundings, flags, async ({ client }) => {
    const calls = client.calls(DELIVERY_ROUTES);
    const users: DeliveryUser[] = [];
    for (let cursor: string | null | undefined; cursor !== null;) {
      const page = await calls.listDeliveryUsers({ status, cursor, limit: 200 });
      users.push(...page.users);
      cursor = page.cursor;
    }
    return print(out, { json, value: { users }, text: () => userTable(users, surroundings) });
  });
}

function userTable(users: readonly DeliveryUser[], { out }: Surroundings): string {
  if (users.length === 0) return "There are no users.";
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
  export TELEGRAM_BOT_TOKEN=… STORAGE=local STORAGE_FOLDER=./library PAWL_DELIVERY_ADMINS=<your Telegram id>
  pawl delivery bot                      talk to people
  pawl delivery worker --concurrency 4   deliver, here or on other machines
  pawl delivery users --status PENDING   who waits for an answer
  pawl delivery approve 123456 --days 7

All settings are in docs/configuration.md.`;
