import type { Command } from "commander";
import { atServer, print, withServerOptions } from "../../../plugin/index.ts";
import type { AddCommands, CliEnvironment, ConnectFlags } from "../../../plugin/index.ts";
import { DELIVERY_ROUTES } from "../api.ts";
import type { DeliveryJob } from "../api.ts";
import { sinceMoment } from "./moments.ts";

type RetryFlags = ConnectFlags & { json?: true; since: string };

/** `pawl delivery retry` */
export function addRetryCommand(
  delivery: Command,
  environment: CliEnvironment,
  setExitCode: Parameters<AddCommands>[2],
): void {
  withServerOptions(delivery.command("retry"))
    .summary("request the files again that an outage has failed")
    .description(
      "Creates a new job for each job that failed because of an outage: a rejected token, an exhausted quota, or a side that did not answer. Running it again creates no second job.",
    )
    .requiredOption(
      "--since <moment>",
      "retry jobs that failed since then, such as 2026-12-31 or 2026-12-31T18:00 (local time)",
      sinceMoment,
    )
    .action(async (flags: RetryFlags) => {
      setExitCode(await retryJobs(environment, flags));
    });
}

function retryJobs(environment: CliEnvironment, { json, since, ...flags }: RetryFlags) {
  return atServer(environment, flags, async ({ client }) => {
    const calls = client.calls(DELIVERY_ROUTES);
    const failed: DeliveryJob[] = [];
    for (let cursor: string | null | undefined; cursor !== null;) {
      const page = await calls.listRetryableDeliveryJobs({ since, cursor, limit: 200 });
      failed.push(...page.jobs);
      cursor = page.cursor;
    }
    const jobs: DeliveryJob[] = [];
    for (const { id, user_id, file_id, chat_id, project_id, title } of failed)
      jobs.push(
        await calls.createDeliveryJob({
          user_id,
          file_id,
          chat_id,
          project_id,
          title,
          request_nonce: `retry:${id}`,
        }),
      );
    return print(environment.out, {
      json,
      value: { jobs },
      text: () =>
        jobs.length === 0
          ? "No job has failed because of an outage since then."
          : [...jobs.map(({ id, title }) => `queued: ${title} (${id})`), `${jobs.length} queued again.`].join(
              "\n",
            ),
    });
  });
}
