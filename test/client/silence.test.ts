import { once } from "node:events";
import { createServer } from "node:http";
import type { IncomingMessage, ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, expect, onTestFinished, test, vi } from "vitest";
import { createConnection } from "../../src/client/connection.ts";
import { listenerOn } from "../../src/client/listen.ts";
import { ROWS } from "../../src/client/route-meta.ts";
import { WAIT_LIMIT_MS } from "../support/wait-limit.ts";

type Script = (response: ServerResponse, request: IncomingMessage) => void;

/** Starts a server that answers the nth connection with the nth script, and sends nothing after the last. */
async function serverWithScripts(...scripts: Script[]) {
  return serverWithLimit(300, ...scripts);
}

/** The same, with a client that drops a connection after `silenceMs` without data. */
async function serverWithLimit(silenceMs: number, ...scripts: Script[]) {
  const asked: string[] = [];
  const server = createServer((request, response) => {
    asked.push(request.url ?? "");
    const script = scripts.shift();
    if (script !== tooOften) response.writeHead(200, { "content-type": "text/event-stream" }).flushHeaders();
    script?.(response, request);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  afterAll(() => {
    server.close();
    server.closeAllConnections();
  });
  const connection = createConnection({ url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` });
  const listen = listenerOn(connection, { silenceMs, firstPauseMs: 10 });
  return { asked, listen };
}

const tooOften: Script = (response) => {
  const problem = { code: "RATE_LIMITED", detail: "Too often.", status: 429 };
  response.writeHead(429, { "retry-after": "0" }).end(JSON.stringify(problem));
};

const event = (position: number, more: object = {}) =>
  `id: ${position}\ndata: ${JSON.stringify({ type: "created", ...more })}\n\n`;

async function positionsOf(feed: AsyncIterable<{ position: number }>, count: number): Promise<number[]> {
  const positions: number[] = [];
  for await (const { position } of feed) if (positions.push(position) >= count) break;
  return positions;
}

test("a silent connection is reopened at the same position", async () => {
  const { asked, listen } = await serverWithScripts(
    (response) => response.write(`: at 4\nid: 4\n\n${event(7)}`),
    (response) => response.write(event(8)),
  );
  expect(await positionsOf(listen(ROWS.streamEvents, { lifecycle: "board" }), 2)).toEqual([7, 8]);
  expect(asked).toEqual(["/api/events?lifecycle=board", "/api/events?lifecycle=board&after=7"]);
});

test("a connection with heartbeats but without events is kept open", async () => {
  // Many heartbeats within the limit, so that a busy machine may delay some.
  const { asked, listen } = await serverWithLimit(3_000, (response) => {
    let beats = 0;
    const timer = setInterval(() => {
      if (beats === 40) clearInterval(timer);
      else if (++beats < 40) response.write(": at 3\nid: 3\n\n");
      else response.end(event(4));
    }, 100);
  });
  expect(await positionsOf(listen(ROWS.streamEvents, undefined), 1)).toEqual([4]);
  expect(asked).toEqual(["/api/events"]);
});

test("a rate-limited stream reconnects later", async () => {
  const { asked, listen } = await serverWithScripts(tooOften, tooOften, (response) =>
    response.write(event(1)),
  );
  expect(await positionsOf(listen(ROWS.streamEvents, {}), 1)).toEqual([1]);
  expect(asked).toHaveLength(3);
});

test("a slow consumer does not count as a silent connection", { timeout: WAIT_LIMIT_MS }, async () => {
  const limitMs = 3_000;
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  onTestFinished(() => void vi.useRealTimers());
  let tellThird: () => void = () => undefined;
  const { asked, listen } = await serverWithLimit(limitMs, (response) => {
    response.write(event(1) + event(2));
    tellThird = () => response.write(event(3));
  });
  const positions: number[] = [];
  for await (const { position } of listen(ROWS.streamEvents, {})) {
    positions.push(position);
    if (position === 1) vi.advanceTimersByTime(limitMs + 1);
    if (position === 2) tellThird();
    if (position === 3) break;
  }
  expect(positions).toEqual([1, 2, 3]);
  expect(asked).toHaveLength(1);
});

test("a repeated event is yielded once, and characters may be split between chunks", async () => {
  const bytes = Buffer.from(`: at 0\nid: 0\n\n${event(1, { title: "Größe 🙂" })}${event(1)}${event(2)}`);
  const { listen } = await serverWithScripts(
    (response) => {
      void (async () => {
        for (const byte of bytes) {
          response.write(Buffer.of(byte));
          await new Promise(setImmediate);
        }
        response.end();
      })();
    },
    (response) => response.end(event(2) + event(3)),
  );
  const events: { position: number; title?: string }[] = [];
  for await (const one of listen(ROWS.streamEvents, {})) if (events.push(one) === 3) break;
  expect(events.map(({ position }) => position)).toEqual([1, 2, 3]);
  expect(events[0]?.title).toBe("Größe 🙂");
});

test("after the server reports a lower position, the stream continues there", async () => {
  const { asked, listen } = await serverWithScripts(
    (response) => response.end(event(900)),
    (response) => response.end(`: at 500\nid: 500\n\n${event(501)}`),
  );
  expect(await positionsOf(listen(ROWS.streamEvents, {}), 2)).toEqual([900, 501]);
  expect(asked[1]).toBe("/api/events?after=900");
});

test.each([
  ["an event without a position", `data: {}\n\n`],
  ["an event that is no JSON", `id: 1\ndata: <p>\n\n`],
])("%s ends the stream with UNEXPECTED_ANSWER", async (_, text) => {
  const { listen } = await serverWithScripts((response) => response.write(text));
  await expect(positionsOf(listen(ROWS.streamEvents, {}), 1)).rejects.toMatchObject({
    code: "UNEXPECTED_ANSWER",
  });
});
