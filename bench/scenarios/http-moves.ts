import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { connect } from "node:net";
import type { Socket } from "node:net";
import { compare } from "../compare.ts";
import { fromCallers, timed } from "../contender.ts";
import { CALLERS_TOKEN } from "../contenders/pawl/bouts-of-http.ts";
import { sized } from "../race.ts";
import type { Report } from "../report.ts";
import type { Stage } from "../stage.ts";

const CONNECTIONS = 64;
const TASKS = 1_000;

type Moved = { task: { id: string; row_version: number } };

/** Guarded moves over HTTP: beside a bare route of the same framework, and beside the engine in its own process. */
export async function httpMoves(stage: Stage): Promise<Report> {
  const { contestant } = await stage.enterPawl();
  const { figures = {} } = await contestant.do("openShop", {});
  const shop = await Callers.gather(figures.pawl ?? 0);
  const bare = await Callers.gather(figures.bare ?? 0);
  try {
    const tasks = await createTasks(shop);
    const sample = await shop.ask("POST", `/api/tasks/${tasks[0]?.id ?? ""}/transitions`, {
      action: "open",
      expected_row_version: 1,
    });
    Object.assign(tasks[0] ?? {}, (JSON.parse(sample) as Moved).task);
    await bare.ask("PUT", "/answer", JSON.parse(sample) as object);
    const over = (callers: Callers, { keys, notes }: { keys: boolean; notes: boolean }) =>
      sized(stage, (moves) =>
        timed(moves, () =>
          fromCallers(CONNECTIONS, moves, (n) =>
            move(callers, tasks[n % tasks.length], { notes, key: keys ? randomUUID() : null }),
          ),
        ),
      );
    return await compare(stage, {
      title: `Guarded moves over HTTP, ${CONNECTIONS} connections that are kept`,
      unit: "moves/s",
      rounds: [7, 3],
      hero: "Pawl over HTTP",
      entries: [
        { name: "Pawl over HTTP", modes: [{}], bout: over(shop, { keys: true, notes: true }) },
        { name: "Pawl without keys", modes: [{}], bout: over(shop, { keys: false, notes: true }) },
        { name: "a bare Fastify route", modes: [{}], bout: over(bare, { keys: true, notes: false }) },
        {
          name: "Pawl's engine alone",
          modes: [{}],
          bout: sized(stage, (moves) =>
            contestant.do("moveOneByOne", { callers: CONNECTIONS, tasks: TASKS, moves }),
          ),
        },
      ],
      aims: [{ of: ["a bare Fastify route"], atLeast: 0.35, floor: 0.3 }],
      notes: [
        "Every request has an idempotency key in its header, as Pawl's client sends it. The bare route takes and gives the same bodies, and does nothing. Each request of Pawl's looks its token up in the database and is committed there; callers, server and database share the machine.",
      ],
    });
  } finally {
    shop.leave();
    bare.leave();
  }
}

type Known = { id: string; row_version: number };

async function createTasks(shop: Callers): Promise<Known[]> {
  const tasks: Known[] = [];
  await fromCallers(CONNECTIONS, TASKS, async (n) => {
    tasks.push(
      JSON.parse(
        await shop.ask("POST", "/api/tasks", { lifecycle: "errand", file: `report-${n}.pdf` }),
      ) as Known,
    );
  });
  return tasks;
}

/** Opened and closed in turn, with the version that was seen last. */
async function move(
  callers: Callers,
  task: Known | undefined,
  { notes, key }: { notes: boolean; key: string | null },
): Promise<void> {
  if (!task) throw new Error("there is no task to move");
  const { id, row_version } = task;
  const body = { action: row_version % 2 === 1 ? "open" : "close", expected_row_version: row_version };
  const answer = await callers.ask("POST", `/api/tasks/${id}/transitions`, body, key);
  if (notes) task.row_version = (JSON.parse(answer) as Moved).task.row_version;
}

/** Connections that are kept; cheaper than a client would be, so that the server is what is measured. */
class Callers {
  private readonly free: Socket[];
  private readonly all: readonly Socket[];

  private constructor(sockets: Socket[]) {
    this.free = sockets;
    this.all = [...sockets];
  }

  static async gather(port: number): Promise<Callers> {
    const sockets = Array.from({ length: CONNECTIONS }, () =>
      connect(port, "127.0.0.1").setNoDelay(true).setEncoding("latin1"),
    );
    await Promise.all(sockets.map((socket) => once(socket, "connect")));
    return new Callers(sockets);
  }

  async ask(method: string, path: string, body: object, key: string | null = null): Promise<string> {
    const socket = this.free.pop();
    if (!socket) throw new Error("more callers than connections");
    const sent = JSON.stringify(body);
    const answer = answerOn(socket);
    const keyHeader = key === null ? "" : `Idempotency-Key: ${key}\r\n`;
    socket.write(
      `${method} ${path} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${CALLERS_TOKEN}\r\n${keyHeader}Content-Type: application/json\r\nContent-Length: ${Buffer.byteLength(sent)}\r\n\r\n${sent}`,
    );
    const text = await answer;
    this.free.push(socket);
    return text;
  }

  leave(): void {
    for (const socket of this.all) socket.destroy();
  }
}

function answerOn(socket: Socket): Promise<string> {
  return new Promise((resolve, reject) => {
    let heard = "";
    const listen = (part: string) => {
      heard += part;
      const end = heard.indexOf("\r\n\r\n");
      const [, length] = end < 0 ? [] : (/content-length: (\d+)/i.exec(heard) ?? []);
      if (length === undefined || heard.length < end + 4 + Number(length)) return;
      socket.off("data", listen);
      // A benchmark in which anything is refused measures the wrong thing.
      if (/^HTTP\/1.1 2/.test(heard)) resolve(heard.slice(end + 4));
      else reject(new Error(heard));
    };
    socket.on("data", listen);
  });
}
