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
type Answer = Record<string, unknown> & { code?: string; detail?: string };

/** Somebody on the floor: what he sends carries a key of its own, so that it may be sent again. */
export type Person = {
  id: string;
  name: string;
  ask: (what: string, body?: object) => Promise<Answer>;
  /** Performs an action on a task as he last saw it. */
  act: (task: Task, action: string, payload?: object) => Promise<Answer & { task: Task }>;
};

/** A floor: a server, a project of its own, a clock for the story, and somebody who tells it. */
export class Floor {
  readonly project_id = `hall-${Date.now()}`;
  private minutes = 8 * 60;
  private readonly url: string;
  private readonly token: string;

  constructor(url: string, token: string) {
    this.url = url;
    this.token = token;
  }

  tell(line: string): void {
    const two = (number: number) => String(number).padStart(2, "0");
    console.log(`${two(Math.floor(this.minutes / 60) % 24)}:${two(this.minutes % 60)}  ${line}`);
  }

  pass(minutes: number): void {
    this.minutes += minutes;
  }

  async open(): Promise<void> {
    await this.admin("POST /api/projects", { id: this.project_id });
  }

  async hire(name: string, member: object): Promise<Person> {
    const id = `${name}-of-${this.project_id}`;
    const about = { id, name, project_ids: [this.project_id], ...member };
    await this.admin("POST /api/members", about);
    const { token } = await this.admin(`POST /api/members/${id}/tokens`, {});
    const ask: Person["ask"] = (what, body) => this.ask(String(token), what, body);
    const act: Person["act"] = async (task, action, payload = {}) => {
      const asked = { action, payload, expected_row_version: task.row_version };
      return (await ask(`POST /tasks/${task.id}/transitions`, asked)) as Answer & { task: Task };
    };
    return { id, name, ask, act };
  }

  private admin(what: string, body: object): Promise<Answer> {
    return this.send(this.token, what, body);
  }

  private ask(token: string, what: string, body?: object): Promise<Answer> {
    return this.send(token, what.replace(" ", " /api/planner"), body);
  }

  private async send(token: string, what: string, body?: object): Promise<Answer> {
    const [method = "", path = ""] = what.split(" ");
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
    const said = (text === "" ? {} : JSON.parse(text)) as Answer;
    if (!response.ok && response.status !== 409) throw new Error(`${what}: ${said.detail ?? text}`);
    return said;
  }
}
