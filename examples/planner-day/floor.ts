import { randomUUID } from "node:crypto";

export type Task = {
  id: string;
  title: string;
  status: string;
  row_version: number;
  assigned_to: string | null;
  needs_attention: boolean;
  depends_on: string[];
  holds: { id: string; kind: string }[];
};
type Reply = Record<string, unknown> & { code?: string; detail?: string };

/** A member with a token. Each request has its own idempotency key. */
export type Person = {
  id: string;
  name: string;
  /** Calls a planner route: `call("GET /tasks")`. */
  call: (route: string, body?: object) => Promise<Reply>;
  /** Performs an action on the version of the task that the person last saw. */
  act: (task: Task, action: string, payload?: object) => Promise<Reply & { task: Task }>;
};

/** A shop floor: a project on the server, its members, and a log with the time of the simulated day. */
export class Floor {
  readonly project_id = `hall-${Date.now()}`;
  private minutes = 8 * 60;
  private readonly url: string;
  private readonly token: string;

  constructor(url: string, token: string) {
    this.url = url;
    this.token = token;
  }

  log(line: string): void {
    const twoDigits = (number: number) => String(number).padStart(2, "0");
    console.log(`${twoDigits(Math.floor(this.minutes / 60) % 24)}:${twoDigits(this.minutes % 60)}  ${line}`);
  }

  advanceClock(minutes: number): void {
    this.minutes += minutes;
  }

  async createProject(): Promise<void> {
    await this.callAsAdmin("POST /api/projects", { id: this.project_id });
  }

  async addMember(name: string, member: object): Promise<Person> {
    const id = `${name}-of-${this.project_id}`;
    const fields = { id, name, project_ids: [this.project_id], ...member };
    await this.callAsAdmin("POST /api/members", fields);
    const { token } = await this.callAsAdmin(`POST /api/members/${id}/tokens`, {});
    const call: Person["call"] = (route, body) => this.callPlanner(String(token), route, body);
    const act: Person["act"] = async (task, action, payload = {}) => {
      const command = { action, payload, expected_row_version: task.row_version };
      return (await call(`POST /tasks/${task.id}/transitions`, command)) as Reply & { task: Task };
    };
    return { id, name, call, act };
  }

  private callAsAdmin(route: string, body: object): Promise<Reply> {
    return this.send(this.token, route, body);
  }

  private callPlanner(token: string, route: string, body?: object): Promise<Reply> {
    return this.send(token, route.replace(" ", " /api/planner"), body);
  }

  private async send(token: string, route: string, body?: object): Promise<Reply> {
    const [method = "", path = ""] = route.split(" ");
    const response = await fetch(this.url + path, {
      method,
      headers: {
        authorization: `Bearer ${token}`,
        "idempotency-key": randomUUID(),
        ...(body ? { "content-type": "application/json" } : {}),
      },
      ...(body ? { body: JSON.stringify(body) } : {}),
    });
    const text = await response.text();
    const reply = (text === "" ? {} : JSON.parse(text)) as Reply;
    if (!response.ok && response.status !== 409) throw new Error(`${route}: ${reply.detail ?? text}`);
    return reply;
  }
}
