import { refuse, SYSTEM } from "../core/index.ts";
import type { Instant, Refusal } from "../core/index.ts";
import type { Sql } from "./database/connect.ts";
import type { Directory } from "./directory.ts";
import {
  addDemo,
  forgetDemo,
  holdDemo,
  letGoOfDemo,
  readDemo,
  removeDemoOrg,
  setDemo,
  takePieceOfDemo,
} from "./statements/demo.ts";
import { addMember } from "./statements/members.ts";
import type { MemberRow } from "./statements/members.ts";
import { addProject } from "./statements/projects.ts";
import { transact } from "./transact.ts";
import type { Tx } from "./transaction.ts";

/** How the demo stands; `running` only while the actors of some node are at work. */
export type DemoState = { state: "absent" | "running" | "stopped" | "removing"; made_at: Instant | null };

const DEMO = "demo";
const ROWS_A_PIECE = 500;
const PATIENCE = { patienceMs: 10_000, statementTimeoutMs: 30_000 };

/** The org that the demo has for itself: made, played by one node at a time, and taken away without a trace. */
export class DemoOrg {
  private readonly sql: Sql;
  private readonly directory: Directory;

  constructor(sql: Sql, directory: Directory) {
    this.sql = sql;
    this.directory = directory;
  }

  async state(): Promise<DemoState> {
    const row = await this.transact(readDemo);
    if (!row) return { state: "absent", made_at: null };
    const { state, made_at, is_played } = row;
    return { state: state === "running" && !is_played ? "stopped" : state, made_at };
  }

  /** Makes it, with a member for those who come to look, unless it is there; it runs as soon as a node plays it. */
  async start(visitor: MemberRow): Promise<{ kind: "started" } | Refusal> {
    const unfinished = await this.transact(readDemo);
    if (unfinished?.state === "removing") await this.remove();
    return this.transact(async (tx) => {
      const made = await addDemo(tx);
      if (!made && !(await readDemo(tx))) return notOurs();
      if (made) await addProject(tx, DEMO, { id: "main", name: "main", settings: {} });
      await addMember(tx, DEMO, visitor);
      await setDemo(tx, "running");
      return { kind: "started" as const };
    });
  }

  /** Whoever plays it stops as soon as he looks. */
  async stop(): Promise<void> {
    await this.transact((tx) => setDemo(tx, "stopped"));
  }

  /** Whether a node's actors may play now: `taken` means that another node's do; `over`, that nobody is to. */
  async hold(node: string, ms: number): Promise<"held" | "taken" | "over"> {
    const found = await this.transact((tx) => holdDemo(tx, node, ms));
    if (found?.state !== "running") return "over";
    return found.held ? "held" : "taken";
  }

  async letGo(node: string): Promise<void> {
    await this.transact((tx) => letGoOfDemo(tx, node));
  }

  /** A token of one of its members, shown this once. */
  async tokenFor(member_id: string): Promise<string> {
    const issued = await this.directory.issueToken({ org_id: DEMO, actor: SYSTEM }, member_id);
    if (issued.kind === "refused") throw new Error(issued.detail);
    return issued.token;
  }

  /** Takes it away piece by piece; cut short, it goes on where it was when it is called again. */
  async remove(): Promise<void> {
    if (!(await this.transact(readDemo))) return;
    await this.transact((tx) => setDemo(tx, "removing"));
    await this.takePieces();
    await this.transact(removeDemoOrg);
    // What was under way when the tokens went.
    await this.takePieces();
    await this.transact(forgetDemo);
  }

  private async takePieces(): Promise<void> {
    while ((await this.transact((tx) => takePieceOfDemo(tx, ROWS_A_PIECE))) > 0);
  }

  private transact<T>(work: (tx: Tx) => Promise<T>): Promise<T> {
    return transact(this.sql, PATIENCE, work);
  }
}

function notOurs(): Refusal {
  return refuse(
    "ALREADY_EXISTS",
    `There is an org "${DEMO}" of somebody's own, which the demo leaves alone.`,
    { id: DEMO },
  );
}
