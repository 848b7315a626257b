import { once } from "node:events";
import { connect } from "node:net";
import type { Socket } from "node:net";
import { now } from "../contender.ts";
import type { Contender, Params } from "../contender.ts";
import { CHAT_TOKEN } from "./pawl/chat-workloads.ts";

const MAX_CONNECTING = 100;

/** Opens readers of one chat each, which record when they receive each action. */
export function open(): Promise<Contender> {
  const sockets: Socket[] = [];
  let received: Record<string, number> = {};
  const read = (socket: Socket) => {
    let rest = "";
    socket.on("data", (part: string) => {
      const at = now();
      const blocks = (rest + part).split("\n\n");
      rest = blocks.pop() ?? "";
      for (const block of blocks) {
        const [, action] = /"actionId":"(\d+)"/.exec(block) ?? [];
        if (action !== undefined) received[action] = at;
      }
    });
  };
  return Promise.resolve({
    workloads: {
      /** Opens this process's share of the chats: every n-th one, for n processes. */
      async openChats({ port = 0, part = 0, processes = 1, chats = 0 }: Params) {
        const began = now();
        const share = Math.ceil((chats - part) / processes);
        while (sockets.length < share) {
          const from = sockets.length;
          const many = Math.min(MAX_CONNECTING, share - from);
          const some = Array.from({ length: many }, () => connect(port, "127.0.0.1").setEncoding("utf8"));
          for (const [n, socket] of some.entries()) {
            const chat = `chat-${(from + n) * processes + part}`;
            socket.write(
              `GET /api/chats/${chat}/events HTTP/1.1\r\nHost: bench\r\nAuthorization: Bearer ${CHAT_TOKEN}\r\n\r\n`,
            );
          }
          // The first lines confirm that the stream is open.
          await Promise.all(some.map((socket) => once(socket, "data")));
          for (const socket of some) read(socket);
          sockets.push(...some);
        }
        return { done: sockets.length, seconds: (now() - began) / 1_000 };
      },
      /** Returns the actions received since the last call, with the time of each. */
      takeReceived() {
        const figures = received;
        received = {};
        return Promise.resolve({ done: Object.keys(figures).length, seconds: 0, figures });
      },
    },
    close: () => {
      for (const socket of sockets) socket.destroy();
      return Promise.resolve();
    },
  });
}
