import { once } from "node:events";
import { request } from "node:http";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import type { ReadableStream } from "node:stream/web";
import { createClient } from "../../src/client/index.ts";
import { DELIVERY_ROUTES } from "../../src/lifecycles/delivery/api.ts";
import { Sender } from "../../src/lifecycles/delivery/worker/sender.ts";
import { startDeliveryWorker } from "../../src/lifecycles/delivery/worker/start-delivery-worker.ts";
import { serverTokenStore } from "../../src/lifecycles/delivery/worker/storage/server-token-store.ts";
import { yandexDisk } from "../../src/lifecycles/delivery/worker/storage/yandex-disk.ts";
import { BOT_TOKEN } from "../../test/lifecycles/delivery/stand-ins/bot-api.ts";
import type { RunningWorker } from "../../src/worker/index.ts";
import type { Contender, Params } from "../contender.ts";
import { timed } from "../contender.ts";
import { PATH, TOKEN } from "./delivery-server.ts";

const localUrl = (port = 0) => `http://127.0.0.1:${port}`;
const ignore = () => undefined;

/** Opens a contender that sends a file: as a delivery worker, or as a plain stream copy. */
export function open(): Promise<Contender> {
  let worker: RunningWorker | undefined;
  return Promise.resolve({
    workloads: {
      /** Starts a delivery worker on the queue. */
      async work({ pawl, disk, telegram }: Params) {
        const client = createClient({ url: localUrl(pawl), token: TOKEN });
        worker = await startDeliveryWorker({
          client,
          storage: yandexDisk(
            {
              accessToken: "first",
              refreshToken: null,
              clientId: null,
              clientSecret: null,
              oauthUrl: localUrl(disk),
              apiUrl: localUrl(disk),
              folder: "disk:/",
              retryTimeoutMs: 60_000,
            },
            serverTokenStore(client.calls(DELIVERY_ROUTES)),
          ),
          sender: new Sender({
            botToken: BOT_TOKEN,
            apiUrl: localUrl(telegram),
            stallMs: 60_000,
            answerMs: 60_000,
          }),
          concurrency: 1,
          log: { debug: ignore, info: ignore, warn: ignore, error: ignore },
        });
        return { done: 0, seconds: 0 };
      },
      /** Pipes the download into the upload: no lease, no hash, no check. */
      copy: ({ disk, telegram, chat = 0, bytes = 0 }: Params) =>
        timed(bytes, async () => {
          const headers = { authorization: "OAuth first" };
          const download = `${localUrl(disk)}/v1/disk/resources/download?path=${encodeURIComponent(PATH)}`;
          const { href } = (await (await fetch(download, { headers })).json()) as { href: string };
          const source = await fetch(href, { headers });
          const boundary = "--------------------------bench";
          const form = request(`${localUrl(telegram)}/bot${BOT_TOKEN}/sendDocument`, {
            method: "POST",
            headers: { "content-type": `multipart/form-data; boundary=${boundary}` },
          });
          const answered = once(form, "response");
          const part = (head: string) => `--${boundary}\r\ncontent-disposition: form-data; ${head}\r\n\r\n`;
          form.write(`${part('name="chat_id"')}${chat}\r\n${part('name="document"')}attach://f\r\n`);
          form.write(part('name="f"; filename="large.bin"'));
          await pipeline(Readable.fromWeb(source.body as ReadableStream), form, { end: false });
          form.end(`\r\n--${boundary}--\r\n`);
          const [response] = (await answered) as [Readable];
          response.resume();
          await once(response, "end");
        }),
      /** Returns the peak memory of this process. */
      measureMemory: () =>
        Promise.resolve({ done: 0, seconds: 0, figures: { rss: process.resourceUsage().maxRSS * 1_024 } }),
    },
    close: async () => {
      await worker?.stop();
    },
  });
}
