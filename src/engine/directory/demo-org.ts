import { v7 as uuidv7 } from "uuid";
import { isRefusal, refuse, SYSTEM } from "../../core/index.ts";
import type { Instant, Refusal } from "../../core/index.ts";
import { unavailable, violationOf } from "../../postgres/index.ts";
import type { Sql } from "../../postgres/index.ts";
import type { Directory } from "./directory.ts";
import {
  addDemo,
  forgetDemo,
  holdDemo,
  releaseDemo,
  lockDemo,
  readDemo,
  removeDemoOrg,
  setDemo,
  removeDemoRows,
} from "../sql/demo.ts";
import { addMember } from "../sql/members.ts";
import type { DemoRow } from "../sql/demo.ts";
import type { MemberRow } from "../sql/members.ts";
import { addProject } from "../sql/projects.ts";
import { saveToken } from "../sql/tokens.ts";
import { hashOfToken, makeToken } from "./tokens.ts";
import { transact } from "../transact.ts";
import type { Tx } from "../transaction.ts";

/** The state of the demo; `running` only while some node plays it. */
export type DemoState = {
  state: "absent" | "running" | "stopped" | "removing";
  /** null if there is no demo. */
  language: DemoRow["language"] | null;
  made_at: Instant | null;
};

/** `language` is that of a new demo. With `replace`, a demo in another language is removed first; otherwise it continues. */
type StartOptions = { language: DemoRow["language"]; replace: boolean };

const DEMO = "demo";
const ROWS_PER_BATCH = 500;
/** Attempts to start while removals keep interfering. */
const MAX_START_ATTEMPTS = 5;
const TIMEOUTS = { retryTimeoutMs: 10_000, statementTimeoutMs: 30_000 };

/** The org of the demo: created on demand, played by one node at a time, and removed completely. */
export class DemoOrg {
  private readonly sql: Sql;
  private readonly directory: Directory;

  constructor(sql: Sql, directory: Directory) {
    this.sql = sql;
    this.directory = directory;
  }

  async state(): Promise<DemoState> {
    const row = await this.transact(readDemo);
    if (!row) return { state: "absent", language: null, made_at: null };
    const { state, language, made_at, is_played } = row;
    return { state: state === "running" && !is_played ? "stopped" : state, language, made_at };
  }

  /**
   * Creates the demo unless it exists, with a member for visitors and a token of that member, which is returned only once. It
   * runs as soon as a node plays it.
   */
  async start(
    visitor: MemberRow,
    options: StartOptions,
  ): Promise<{ kind: "started"; token: string } | Refusal> {
    for (let attempt = 0; attempt < MAX_START_ATTEMPTS; attempt++) {
      const started = await this.tryToStart(visitor, options);
      if (started !== "removing") return started;
      await this.finishRemoval();
    }
    throw unavailable(new Error("the demo was removed during each attempt to start it"));
  }

  private async tryToStart(
    visitor: MemberRow,
    { language, replace }: StartOptions,
  ): Promise<{ kind: "started"; token: string } | Refusal | "removing"> {
    const token = makeToken(DEMO);
    try {
      return await this.transact(async (tx) => {
        const made = (await lockDemo(tx)) === null && (await addDemo(tx, language));
        if (made) await addProject(tx, DEMO, { id: "main", name: "main", settings: {} });
        // Locked until the commit: a removal that starts now waits, and then removes the visitor and the token too.
        const demo = await lockDemo(tx);
        if (!demo) return notOurs();
        const isReplaced = replace && demo.language !== language;
        if (isReplaced) await setDemo(tx, "removing");
        if (isReplaced || demo.state === "removing") return "removing";
        await addMember(tx, DEMO, visitor);
        await saveToken(tx, DEMO, {
          id: uuidv7(),
          member_id: visitor.id,
          hash: hashOfToken(token),
          created_by: null,
        });
        await setDemo(tx, "running");
        return { kind: "started" as const, token };
      });
    } catch (error) {
      // A removal has deleted the org, but not yet the row in pawl.demo.
      if (violationOf(error) === "demo_pkey") return "removing";
      throw error;
    }
  }

  /** Stops the demo. The node that plays it notices at its next check. */
  async stop(): Promise<void> {
    await this.transact((tx) => setDemo(tx, "stopped"));
  }

  /** Lets a node play the demo for some time, unless another node does (`taken`) or the demo is not running (`over`). */
  async hold(
    node: string,
    ms: number,
  ): Promise<{ kind: "held"; language: DemoRow["language"] } | { kind: "taken" | "over" }> {
    const found = await this.transact((tx) => holdDemo(tx, node, ms));
    if (found?.state !== "running") return { kind: "over" };
    return found.held ? { kind: "held", language: found.language } : { kind: "taken" };
  }

  async letGo(node: string): Promise<void> {
    await this.transact((tx) => releaseDemo(tx, node));
  }

  /** Issues a token for one of its members, which is returned only once. */
  async tokenFor(member_id: string): Promise<string> {
    const issued = await this.directory.issueToken({ org_id: DEMO, actor: SYSTEM }, member_id);
    if (isRefusal(issued)) throw new Error(issued.detail);
    return issued.token;
  }

  /** Removes the demo in batches; an interrupted removal continues at the next call. Concurrent calls are safe. */
  async remove(): Promise<void> {
    if (!(await this.transact(readDemo))) return;
    await this.transact((tx) => setDemo(tx, "removing"));
    await this.finishRemoval();
  }

  /** Removes a demo in the state `removing`; leaves a demo in another state alone. */
  private async finishRemoval(): Promise<void> {
    await this.removeRows();
    await this.transact(removeDemoOrg);
    // Removes rows of requests that were running when the tokens were removed.
    await this.removeRows();
    await this.transact(forgetDemo);
  }

  private async removeRows(): Promise<void> {
    // The lock allows one remover at a time. The state also ends the loop if another one has finished and a new demo exists.
    const removeBatch = async (tx: Tx) =>
      (await lockDemo(tx))?.state === "removing" ? removeDemoRows(tx, ROWS_PER_BATCH) : 0;
    while ((await this.transact(removeBatch)) > 0);
  }

  private transact<T>(work: (tx: Tx) => Promise<T>): Promise<T> {
    return transact(this.sql, TIMEOUTS, work);
  }
}

function notOurs(): Refusal {
  return refuse("ALREADY_EXISTS", `The org "${DEMO}" exists and is not a demo; the demo cannot use it.`, {
    id: DEMO,
  });
}
