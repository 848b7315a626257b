import type { Client } from "../../../client/index.ts";
import { DELIVERY_ROUTES } from "../api.ts";
import type { DemoLanguage, DemoScript, Stage } from "../../../plugin/index.ts";
import { DELIVERY_EN } from "./delivery-files-en.ts";
import { DELIVERY_RU } from "./delivery-files-ru.ts";
import { FINAL_ERRORS, foldersIn, RETRYABLE_ERRORS } from "./delivery-files.ts";
import type { DeliveryContent } from "./delivery-files.ts";

const CONTENT: Readonly<Record<DemoLanguage, DeliveryContent>> = { en: DELIVERY_EN, ru: DELIVERY_RU };

export const members: DemoScript["members"] = (language) => {
  const { names } = CONTENT[language];
  return [
    { id: "olga", name: names.olga, kind: "human", roles: ["admin"] },
    { id: "lumen-bot", name: names["lumen-bot"], kind: "service", roles: ["agent"] },
    ...COURIERS.map((id) => ({ id, name: names[id], kind: "worker" as const, roles: ["worker"] })),
  ];
};

/** Short times, so that a viewer of the demo sees stuck and recovered jobs. */
export const projects: DemoScript["projects"] = [
  { id: "main", settings: { delivery: { recover_after_seconds: 45, stuck_after_seconds: 20 } } },
];

const WITH_ACCESS = 6;
const MAX_QUEUED = 6;
const COURIERS = ["courier-1", "courier-2"] as const;
const CONCURRENCY = 2;
const DAY_MS = 86_400_000;
const TICKS = 6;

/** Users request files from a bot, an admin approves users, and two workers deliver the files. */
export async function play(stage: Stage): Promise<void> {
  const olga = deliveryOf(stage.as("olga"));
  const bot = deliveryOf(stage.as("lumen-bot"));
  const content = CONTENT[stage.language];
  await fillCatalog(olga, content);
  await approveUsers(olga, content);
  const files = await allFiles(olga);
  await stage.together([
    stage.keepOn([7, 18], () => tap(stage, bot, files)),
    stage.keepOn([60, 120], () => askForAccess(stage, bot)),
    stage.keepOn([25, 60], () => decideAccess(stage, olga)),
    stage.keepOn([10, 15], () => settleNotices(bot)),
    ...COURIERS.flatMap((id) =>
      Array.from({ length: CONCURRENCY }, () => stage.keepOn([2, 5], () => deliverJob(stage, id, files))),
    ),
  ]);
}

function deliveryOf(client: Client) {
  return client.calls(DELIVERY_ROUTES);
}
type Delivery = ReturnType<typeof deliveryOf>;
type File = { id: string; name: string; size: number };

async function fillCatalog(delivery: Delivery, content: DeliveryContent): Promise<void> {
  const { total } = await delivery.listDeliveryFiles({ limit: 1 });
  if (total > 0) return;
  const scan = "first-scan";
  const folders = foldersIn(content);
  const entries = folders.map(({ name }) => ({ kind: "folder" as const, path: `/${name}`, name }));
  await delivery.saveDeliveryFiles({ scan, entries, last: true });
  for (const { name: folder, files } of folders) {
    const entries = files.map(({ name, size }) => ({
      kind: "file" as const,
      path: `/${folder}/${name}`,
      name,
      size,
      revision: `r-${size}`,
    }));
    await delivery.saveDeliveryFiles({ folder: `/${folder}`, scan, entries, last: true });
  }
}

async function approveUsers(delivery: Delivery, content: DeliveryContent): Promise<void> {
  const { users } = await delivery.listDeliveryUsers({ limit: 1 });
  if (users.length > 0) return;
  for (const [id, name, username] of content.users.slice(0, WITH_ACCESS)) {
    await delivery.requestDeliveryAccess({ id, name, username });
    await delivery.approveDeliveryUser({ id, decided_by: "olga" });
  }
}

async function allFiles(delivery: Delivery): Promise<File[]> {
  const { files: folders } = await delivery.listDeliveryFiles({});
  const found: File[] = [];
  for (const { id: folder_id } of folders.filter(({ kind }) => kind === "folder")) {
    const { files } = await delivery.listDeliveryFiles({ folder_id });
    found.push(...files.map(({ id, name, size }) => ({ id, name, size: size ?? 0 })));
  }
  return found;
}

/** A user taps “Download”; now and then one cancels a job. */
async function tap(stage: Stage, bot: Delivery, files: readonly File[]): Promise<unknown> {
  const { chance } = stage;
  const { jobs: queued } = await bot.listDeliveryJobs({ status: ["QUEUED"], limit: 50 });
  const [toCancel] = chance.some(queued, 1);
  if (toCancel && chance.happens(0.06)) {
    const { id, user_id } = toCancel;
    return bot.moveDeliveryJob({ id, action: "cancel", payload: { user_id } });
  }
  const { users } = await bot.listDeliveryUsers({ status: ["ACTIVE"], limit: 50 });
  const [user, file] = [chance.pick(users), chance.pick(files)];
  if (!user || !file || queued.length >= MAX_QUEUED) return undefined;
  const { id: user_id, chat_id } = user;
  return bot.createDeliveryJob({ user_id, chat_id, file_id: file.id, request_nonce: chance.hex(12) });
}

async function askForAccess(stage: Stage, bot: Delivery): Promise<unknown> {
  const { chance, language } = stage;
  const { users: people } = CONTENT[language];
  const { users } = await bot.listDeliveryUsers({ limit: 50 });
  const known = new Set(users.map(({ id }) => id));
  const [id, name, username] = chance.pick(people.filter(([one]) => !known.has(one))) ?? chance.pick(people);
  return bot.requestDeliveryAccess({ id, name, username });
}

async function decideAccess(stage: Stage, olga: Delivery): Promise<unknown> {
  const { chance } = stage;
  const { users } = await olga.listDeliveryUsers({ limit: 50 });
  const waiting = chance.pick(users.filter(({ status }) => status === "PENDING"));
  if (waiting) return olga.approveDeliveryUser({ id: waiting.id, decided_by: "olga" });
  // Only access that ends soon: otherwise some would get access for years.
  const soon = Date.now() + 40 * DAY_MS;
  const someone = chance.pick(
    users.filter(({ status, access_until }) => status === "ACTIVE" && Date.parse(access_until ?? "") < soon),
  );
  return someone && chance.happens(0.2)
    ? olga.extendDeliveryUser({ id: someone.id, days: 30, decided_by: "olga" })
    : undefined;
}

async function settleNotices(bot: Delivery): Promise<void> {
  const { notices } = await bot.takeDeliveryNotices({ limit: 20 });
  for (const { id } of notices) await bot.settleDeliveryNotice({ id });
}

/** A worker claims a job and delivers the file; sometimes it fails or crashes. */
async function deliverJob(
  stage: Stage,
  courier: (typeof COURIERS)[number],
  files: readonly File[],
): Promise<unknown> {
  const { chance, language } = stage;
  const client = stage.as(courier);
  const delivery = deliveryOf(client);
  const { tasks } = await client.claimTasks({ lifecycle: "delivery" });
  const [job] = tasks;
  const file = files.find(({ id }) => id === job?.data.file_id);
  const lease_token = job?.lease_token;
  if (!job || !lease_token || !file) return undefined;
  const { id } = job;
  const move = (action: Parameters<typeof delivery.moveDeliveryJob>[0]["action"], payload = {}) =>
    delivery.moveDeliveryJob({ id, action, payload, lease_token });
  const worker = { id: courier, concurrency: CONCURRENCY };
  const report = async (share: number) => {
    const bytes = Math.round(file.size * share);
    await delivery.reportDeliveryProgress({
      worker,
      jobs: [{ job_id: id, lease_token, bytes, total_bytes: file.size }],
    });
    await client.beatLeases({ leases: [{ task_id: id, lease_token }] });
  };
  await move("start_download");
  const [breaksAt, random] = [chance.whole(1, TICKS - 1), chance.number()];
  for (let tick = 0; tick <= TICKS; tick++) {
    await stage.rest([1.5, 4]);
    await report(tick / TICKS);
    if (tick === TICKS / 2) await move("start_stream");
    if (tick !== breaksAt) continue;
    if (random < 0.15) {
      const error = chance.pick(random < 0.12 ? RETRYABLE_ERRORS : FINAL_ERRORS);
      return move("fail", { error: { ...error, message: CONTENT[language].errors[error.code] } });
    }
    // A crash: without heartbeats the job returns to the queue.
    if (random < 0.18) return undefined;
  }
  return move("deliver", {
    message_id: chance.whole(1_000, 99_999),
    telegram_file_id: `BQAC${chance.hex(20)}`,
  });
}
