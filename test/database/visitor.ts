// A process of its own that opens a database: node visitor.js <mode> <config as JSON>.
// It says on its output what has happened, a line each, so that a test can wait for it.
import { createInterface } from "node:readline/promises";
import { openDatabase, type Database, type DatabaseConfig } from "../../src/postgres/open-database.ts";

const [, , mode = "", config = "{}"] = process.argv;

const MODES: Record<string, () => Promise<void>> = {
  /** Stays until its input ends, or until it is interrupted. */
  async stay() {
    const database = await open();
    say(`open ${database.url}`);
    await Promise.race([toldToLeave(), new Promise((resolve) => process.once("SIGINT", resolve))]);
    // What was open before an interrupt still works while the process winds up.
    await database.sql`select 1`;
    await database.close();
    say("closed");
  },

  /** Writes rows until it is killed, and says each id once PostgreSQL has acknowledged it. */
  async write() {
    const { sql } = await open();
    await sql`create table if not exists written (id bigint generated always as identity, filler text)`;
    for (;;) {
      const rows = await sql<{ id: string }[]>`
        insert into written (filler) values (repeat('x', 500)) returning id`;
      say(`wrote ${rows[0]?.id ?? ""}`);
    }
  },

  /** Opens and closes, again and again. */
  async rounds() {
    for (let round = 1; round <= 5; round += 1) {
      const database = await open();
      await database.sql`select count(*) from pg_class`;
      await database.close();
      say(`round ${round}`);
    }
  },
};

function open(): Promise<Database> {
  return openDatabase({
    onProgress: (message) => {
      say(`progress ${message}`);
    },
    ...(JSON.parse(config) as DatabaseConfig),
  });
}

async function toldToLeave(): Promise<void> {
  for await (const line of createInterface(process.stdin)) if (line === "leave") return;
}

function say(line: string): void {
  process.stdout.write(`${line}\n`);
}

try {
  await MODES[mode]?.();
  process.stdin.destroy();
} catch (error) {
  const code = error instanceof Error && "code" in error ? String(error.code) : "";
  say(`failed ${code} ${error instanceof Error ? error.message : String(error)}`);
  process.exitCode = 1;
  process.stdin.destroy();
}
