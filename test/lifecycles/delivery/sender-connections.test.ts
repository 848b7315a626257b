import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import { Sender } from "../../../src/lifecycles/delivery/worker/sender.ts";
import { json } from "./stand-ins/yandex-disk.ts";

/** Starts a Bot API server that closes a kept connection when it is used again. */
async function startForgetful(): Promise<string> {
  const used = new WeakSet<Socket>();
  const server = createServer((request, response) => {
    const { socket } = request;
    if (used.has(socket)) {
      socket.destroy();
      return;
    }
    used.add(socket);
    json(response, 200, { ok: true, result: { message_id: 1, document: { file_id: "f" } } });
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

test("a stored file is sent over a new connection, which Telegram does not close at its reuse", async () => {
  const apiUrl = await startForgetful();
  const sender = new Sender({ botToken: "1:a", apiUrl, stallMs: 60_000, answerMs: 60_000 });
  const { signal } = new AbortController();
  for (const chat of ["1", "2", "3"])
    expect(await sender.sendStored(chat, "f", signal)).toEqual({ message_id: 1, telegram_file_id: "f" });
});
