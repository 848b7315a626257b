import { randomUUID } from "node:crypto";

export type Task = {
  id: string;
  title: string;
  status: string;
  kind: string;
  row_version: number;
  deliverable_id: string | null;
  assigned_to: string | null;
  due_at: string | null;
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

const DAYS = ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"];

/** A shop floor: a project on the server, its members, and a log with the time of the simulated week. */
export class Floor {
  readonly project_id = `hall-${Date.now()}`;
  readonly people: Person[] = [];
  /** Serial numbers of the deliverables by id. */
  readonly serials = new Map<string, string>();
  private hours = 0;
  private readonly url: string;
  private readonly token: string;

  constructor(url: string, token: string) {
    this.url = url;
    this.token = token;
  }

  log(line: string): void {
    const day = DAYS[Math.floor(this.hours / 24) % 7] ?? "";
    console.log(`${day} ${String(this.hours % 24).padStart(2, "0")}:00  ${line}`);
  }

  /** Moves the simulated clock, for example to day 1 (Tuesday), 6 o'clock. */
  moveClockTo(day: number, hour: number): void {
    this.hours = day * 24 + hour;
  }

  advanceClock(): void {
    this.hours++;
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
    const person = { id, name, call, act };
    this.people.push(person);
    return person;
  }

  /** Lists the project's tasks in the given statuses (default: all), oldest first. */
  async listTasks(status = "", more = ""): Promise<Task[]> {
    const filter = status === "" ? "" : `&status=${status}`;
    const found = await this.reader.call(
      `GET /tasks?project_id=${this.project_id}&limit=200${filter}${more}`,
    );
    return found.tasks as Task[];
  }

  async getTask(id: string): Promise<Task> {
    return (await this.reader.call(`GET /tasks/${id}`)) as Task;
  }

  /** A task's title, with the serial number of its frame. */
  nameOf({ title, deliverable_id }: Task): string {
    const serial = deliverable_id === null ? undefined : this.serials.get(deliverable_id);
    return serial === undefined ? title : `${title} ${serial}`;
  }

  memberName(id: string | null): string {
    return this.people.find((person) => person.id === id)?.name ?? "no owner";
  }

  /** Everybody may read tasks; the first member does it for the story. */
  private get reader(): Person {
    const [first] = this.people;
    if (!first) throw new Error("the floor has no members");
    return first;
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
