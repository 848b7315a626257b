import type { BrowserContextOptions, Page } from "playwright-core";
import type { ConsoleSetup } from "../console-setup.ts";

export const WORK = "/lifecycles/planner/work";
const PHONE = { viewport: { width: 375, height: 812 }, hasTouch: true, isMobile: true };

export type Json = Record<string, unknown>;
export type Executor = { id: string; token: string };

/** Executors with their tasks and phones, for tests of their screen. */
export function workFloor(setup: () => ConsoleSetup) {
  const ask = async (what: string, token: string, body?: object): Promise<Json> => {
    const headers = { "idempotency-key": crypto.randomUUID() };
    const reply = await setup().server.ask(what, { token, headers, ...(body ? { body } : {}) });
    if (reply.status >= 300) throw new Error(reply.text);
    return reply.body;
  };
  let count = 0;
  /** Each executor has a trade of their own, and therefore a pool of their own. */
  const newExecutor = async (more: object = {}): Promise<Executor> => {
    const id = `max-${++count}`;
    const token = await setup().server.member({
      id,
      name: "Max Weber",
      roles: ["executor"],
      skill_level: 5,
      specializations: [id],
      ...more,
    });
    return { id, token };
  };
  const addTask = async (executor: Executor, title: string, more: object = {}) => {
    const body = { title, required_trade: executor.id, ...more };
    return String((await ask("POST /api/planner/tasks", setup().tokens.lea, body)).id);
  };
  const move = (token: string, id: string, action: string, expected_row_version: number, payload = {}) =>
    ask(`POST /api/planner/tasks/${id}/transitions`, token, { action, expected_row_version, payload });
  const journalOf = async (id: string) => {
    const { transitions } = await ask(`GET /api/planner/tasks/${id}/transitions`, setup().tokens.lea);
    return (transitions as { action: string }[]).map(({ action }) => action);
  };
  const open = (executor: Executor, options: BrowserContextOptions = {}, base?: string): Promise<Page> =>
    setup().openPage({ token: executor.token }, WORK, { ...PHONE, ...options }, base);
  return { ask, newExecutor, addTask, move, journalOf, open };
}
