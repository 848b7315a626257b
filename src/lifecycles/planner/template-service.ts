import { v7 as uuidv7 } from "uuid";
import { isRefusal, refuse } from "../../core/index.ts";
import type { Refusal } from "../../core/index.ts";
import { readClock, useCustomPlans, withIdempotencyKey } from "../../plugin/index.ts";
import type { Caller, Engine, IdempotentResult, PublicTask, Tx } from "../../plugin/index.ts";
import { isUuid } from "../../std/uuid.ts";
import { pageOf } from "./service.ts";
import { addDeliverable } from "./sql/deliverables.ts";
import type { Deliverable } from "./sql/deliverables.ts";
import { addTemplate, deleteTemplate, listTemplates } from "./sql/templates.ts";
import type { Template, TemplateFilter } from "./sql/templates.ts";

type Instance = { deliverable: Deliverable; tasks: (PublicTask & { ref: string })[] };
type Within = Parameters<Parameters<Engine["write"]>[1]>[0];

/** The operations on templates. */
export class TemplateService {
  private readonly engine: Engine;

  constructor(engine: Engine) {
    this.engine = engine;
  }

  create(
    caller: Caller,
    input: Pick<Template, "project_id" | "name" | "type" | "tasks">,
    key: string | null,
  ) {
    return this.withKey(caller, key, ["create template", input], async ({ tx }) => {
      const created_at = await readClock(tx);
      const template: Template = { id: uuidv7(), ...input, created_by: caller.actor.id, created_at };
      if (await addTemplate(tx, caller.org_id, template)) return template;
      const { name } = input;
      return refuse("ALREADY_EXISTS", `The project already has a template "${name}".`, { name });
    });
  }

  list({ org_id }: Caller, filter: TemplateFilter) {
    return this.engine.transaction(async (tx) => {
      await useCustomPlans(tx);
      const rows = await listTemplates(tx, org_id, { ...filter, limit: filter.limit + 1 });
      return pageOf(rows, filter.limit, ({ id }) => id);
    });
  }

  find(caller: Caller, id: string): Promise<Template | Refusal> {
    return this.engine.transaction((tx) => findTemplate(tx, caller, id));
  }

  /** Deletes a template; its instances stay. */
  remove(caller: Caller, id: string, key: string | null) {
    return this.withKey(caller, key, ["delete template", id], async ({ tx }) => {
      const template = await findTemplate(tx, caller, id);
      if (isRefusal(template)) return template;
      await deleteTemplate(tx, caller.org_id, template.id);
      return template;
    });
  }

  /** Creates a deliverable and all its tasks in one transaction. */
  instantiate(caller: Caller, id: string, serial: string, key: string | null) {
    return this.withKey<Instance>(caller, key, ["instantiate template", id, serial], async (within) => {
      const template = await findTemplate(within.tx, caller, id);
      if (isRefusal(template)) return template;
      const deliverable = await this.addDeliverable(within.tx, caller, template, serial);
      if (isRefusal(deliverable)) return deliverable;
      const { project_id } = template;
      const tasks = template.tasks.map((task) => ({
        lifecycle: "planner",
        project_id,
        deliverable_id: deliverable.id,
        ...task,
      }));
      // The request's key belongs to the instance; its tasks get a new one.
      const client_event_id = `template ${uuidv7()}`;
      const created = await this.engine.create(caller, tasks, { ...within, client_event_id });
      if (isRefusal(created)) throw new RefusedInstance(created);
      return {
        deliverable,
        tasks: created.tasks.map((task, index) => ({ ...task, ref: template.tasks[index]?.ref ?? "" })),
      };
    });
  }

  private async addDeliverable(
    tx: Tx,
    { org_id, actor }: Caller,
    { project_id, type }: Template,
    serial: string,
  ): Promise<Deliverable | Refusal> {
    const now = await readClock(tx);
    const deliverable: Deliverable = {
      id: uuidv7(),
      project_id,
      type,
      serial,
      status: "open",
      created_by: actor.id,
      created_at: now,
      updated_at: now,
      reopened_at: null,
      reopened_by: null,
      reopened_for: null,
    };
    if (await addDeliverable(tx, org_id, deliverable)) return deliverable;
    return refuse("ALREADY_EXISTS", `The project already has a ${type} with the serial ${serial}.`, {
      serial,
    });
  }

  private async withKey<Answer extends object>(
    { org_id, actor }: Caller,
    client_event_id: string | null,
    meaning: readonly unknown[],
    work: (within: Within) => Promise<Answer | Refusal>,
  ): Promise<IdempotentResult<Answer> | Refusal> {
    try {
      return await this.engine.write(org_id, (within) =>
        withIdempotencyKey(within.tx, org_id, { client_event_id, actor, meaning }, () => work(within)),
      );
    } catch (error) {
      if (error instanceof RefusedInstance) return error.refusal;
      throw error;
    }
  }
}

/** Rolls back the deliverable of an instance whose tasks were refused. */
class RefusedInstance extends Error {
  readonly refusal: Refusal;

  constructor(refusal: Refusal) {
    super(refusal.detail);
    this.refusal = refusal;
  }
}

async function findTemplate(tx: Tx, { org_id, actor }: Caller, id: string): Promise<Template | Refusal> {
  const filter = { projects: actor.project_ids, id, limit: 1 };
  const [found] = isUuid(id) ? await listTemplates(tx, org_id, filter) : [];
  return found ?? refuse("NOT_FOUND", `There is no template ${id}.`, { id });
}
