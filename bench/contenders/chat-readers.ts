import { once } from "node:events";
import { connect } from "node:net";
import type { Socket } from "node:net";
import { now } from "../contender.ts";
import type { Contender, Terms } from "../contender.ts";
import { CHAT_TOKEN } from "./pawl/bouts-of-chats.ts";

const AT_ONCE = 100;

/** Readers of chats, each of one, who note when they hear of which action. */
export function open(): Promise<Contender> {
  const sockets: Socket[] = [];
  let heard: Record<string, number> = {};
  const read = (socket: Socket) => {
    let rest = "";
    socket.on("data", (part: string) => {
      const at = now();
      const blocks = (rest + part).split("\n\n");
      rest = blocks.pop() ?? "";
      for (const block of blocks) {
        const [, action] = /"actionId":"(\d+)"/.exec(block) ?? [];
        if (action !== undefined) heard[action] = at;
      }
    });
  };
  return Promise.resolve({
    bouts: {
      /** Opens its part of so many chats: every second one, where there are two processes. */
      async listen({ port = 0, part = 0, processes = 1, chats = 0 }: Terms) {
        const began = now();
        const share = Math.ceil((chats - part) / processes);
        while (sockets.length < share) {
          const from = sockets.length;
          const many = Math.min(AT_ONCE, share - from);
          const some = Array.from({ length: many }, () => connect(port, "127.0.0.1").setEncoding("utf8"));
          for (const [n, socket] of some.entries()) {
            const chat = `chat-${(from + n) * processes + part}`;
            socket.write(
              `GET /api/chats/${chat}/events HTTP/1.1\r\nHost: bench\r\nAuthorization: Bearer ${CHAT_TOKEN}\r\n\r\n`,
            );
          }
          // Its first lines say that the stream stands.
          await Promise.all(some.map((socket) => once(socket, "data")));
          for (const socket of some) read(socket);
          sockets.push(...some);
        }
        return { done: sockets.length, seconds: (now() - began) / 1_000 };
      },
      /** What was heard since the last time, and when; none but one's own is ever heard. */
      tell() {
        const figures = heard;
        heard = {};
        return Promise.resolve({ done: Object.keys(figures).length, seconds: 0, figures });
      },
    },
    close: () => {
      for (const socket of sockets) socket.destroy();
      return Promise.resolve();
    },
  });
}
