import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { connect } from "node:net";
import type { Socket } from "node:net";
import { compare } from "../compare.ts";
import { fromCallers, timed } from "../contender.ts";
import { CALLERS_TOKEN } from "../contenders/pawl/http-workloads.ts";
import { sized } from "../compare-contenders.ts";
import type { Report } from "../report.ts";
import type { Environment } from "../environment.ts";

const CONNECTIONS = 64;
const TASKS = 1_000;

type Moved = { task: { id: string; row_version: number } };

/** Guarded moves over HTTP, compared with a bare route of the same framework and with the engine in its own process. */
export async function httpMoves(env: Environment): Promise<Report> {
  const { child } = await env.startPawl();
  const { figures = {} } = await child.run("startHttpServer", {});
  const pawl = await Callers.connect(figures.pawl ?? 0);
  const bare = await Callers.connect(figures.bare ?? 0);
  try {
    const tasks = await createTasks(pawl);
    const sample = await pawl.send("POST", `/api/tasks/${tasks[0]?.id ?? ""}/transitions`, {
      action: "open",
      expected_row_version: 1,
    });
    Object.assign(tasks[0] ?? {}, (JSON.parse(sample) as Moved).task);
    await bare.send("PUT", "/answer", JSON.parse(sample) as object);
    const over = (callers: Callers, { keys, versions }: { keys: boolean; versions: boolean }) =>
      sized(env, (moves) =>
        timed(moves, () =>
          fromCallers(CONNECTIONS, moves, (n) =>
            move(callers, tasks[n % tasks.length], { versions, key: keys ? randomUUID() : null }),
          ),
        ),
      );
    return await compare(env, {
      title: `Guarded moves over HTTP, ${CONNECTIONS} keep-alive connections`,
      unit: "moves/s",
      rounds: [7, 3],
      subject: "Pawl over HTTP",
      entries: [
        { name: "Pawl over HTTP", modes: [{}], measure: over(pawl, { keys: true, versions: true }) },
        { name: "Pawl without keys", modes: [{}], measure: over(pawl, { keys: false, versions: true }) },
        { name: "a bare Fastify route", modes: [{}], measure: over(bare, { keys: true, versions: false }) },
        {
          name: "Pawl's engine alone",
          modes: [{}],
          measure: sized(env, (moves) =>
            child.run("moveOneByOne", { callers: CONNECTIONS, tasks: TASKS, moves }),
          ),
        },
      ],
      aims: [{ of: ["a bare Fastify route"], atLeast: 0.35, floor: 0.3 }],
      notes: [
        "Every request has an idempotency key in its header, as Pawl's client sends it. The bare route parses and returns the same bodies and does nothing else. Pawl looks up the token of each request in the database and commits the move there. Callers, server and database share the machine.",
      ],
    });
  } finally {
    pawl.close();
    bare.close();
  }
}

type TaskVersion = { id: string; row_version: number };

async function createTasks(pawl: Callers): Promise<TaskVersion[]> {
  const tasks: TaskVersion[] = [];
  await fromCallers(CONNECTIONS, TASKS, async (n) => {
    tasks.push(
      JSON.parse(
        await pawl.send("POST", "/api/tasks", { lifecycle: "errand", file: `report-${n}.pdf` }),
      ) as TaskVersion,
    );
  });
  return tasks;
}

/** Opens and closes a task in turn, with the last known version. */
async function move(
  callers: Callers,
  task: TaskVersion | undefined,
  { versions, key }: { versions: boolean; key: string | null },
): Promise<void> {
  if (!task) throw new Error("no task to move");
  const { id, row_version } = task;
  const body = { action: row_version % 2 === 1 ? "open" : "close", expected_row_version: row_version };
  const answer = await callers.send("POST", `/api/tasks/${id}/transitions`, body, key);
  if (versions) task.row_version = (JSON.parse(answer) as Moved).task.row_version;
}

/** Keep-alive connections; cheaper than a client, so that the server dominates the measurement. */
class Callers {
  private readonly free: Socket[];
  private readonly all: readonly Socket[];

  private constructor(sockets: Socket[]) {
    this.free = sockets;
    this.all = [...sockets];
  }

  static async connect(port: number): Promise<Callers> {
    const sockets = Array.from({ length: CONNECTIONS }, () =>
      connect(port, "127.0.0.1").setNoDelay(true).setEncoding("latin1"),
    );
    await Promise.all(sockets.map((socket) => once(socket, "connect")));
    return new Callers(sockets);
  }

  async send(method: string, path: string, body: object, key: string | null = null): Promise<string> {
    const socket = this.free.pop();
    if (!socket) throw new Error("more callers than connections");
    const sent = JSON.stringify(body);
    const answer = readResponse(socket);
    const keyHeader = key === null ? "" : `Idempotency-Key: ${key}\r\n`;
    socket.write(
      `${method} ${path} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${CALLERS_TOKEN}\r\n${keyHeader}Content-Type: application/json\r\nContent-Length: ${Buffer.byteLength(sent)}\r\n\r\n${sent}`,
    );
    const text = await answer;
    this.free.push(socket);
    return text;
  }

  close(): void {
    for (const socket of this.all) socket.destroy();
  }
}

function readResponse(socket: Socket): Promise<string> {
  return new Promise((resolve, reject) => {
    let received = "";
    const listen = (part: string) => {
      received += part;
      const end = received.indexOf("\r\n\r\n");
      const [, length] = end < 0 ? [] : (/content-length: (\d+)/i.exec(received) ?? []);
      if (length === undefined || received.length < end + 4 + Number(length)) return;
      socket.off("data", listen);
      // A benchmark with refusals would measure the wrong thing.
      if (/^HTTP\/1.1 2/.test(received)) resolve(received.slice(end + 4));
      else reject(new Error(received));
    };
    socket.on("data", listen);
  });
}
