// A separate process that opens a database: `node database-process.js <mode> <config as JSON>`.
// Prints one line per event, so that a test can wait for it.
import { createInterface } from "node:readline/promises";
import { openDatabase, type Database, type DatabaseConfig } from "../../src/postgres/open-database.ts";

const [, , mode = "", config = "{}"] = process.argv;

const MODES: Record<string, () => Promise<void>> = {
  /** Keeps the database open until it reads "leave" or is interrupted. */
  async stay() {
    const database = await open();
    print(`open ${database.url}`);
    await Promise.race([leaveRequested(), new Promise((resolve) => process.once("SIGINT", resolve))]);
    // After an interrupt the database still works while the process shuts down.
    await database.sql`select 1`;
    await database.close();
    print("closed");
  },

  /** Writes rows until it is killed, and prints each id once PostgreSQL has acknowledged it. */
  async write() {
    const { sql } = await open();
    await sql`create table if not exists written (id bigint generated always as identity, filler text)`;
    for (;;) {
      const rows = await sql<{ id: string }[]>`
        insert into written (filler) values (repeat('x', 500)) returning id`;
      print(`wrote ${rows[0]?.id ?? ""}`);
    }
  },

  /** Opens and closes the database five times. */
  async rounds() {
    for (let round = 1; round <= 5; round += 1) {
      const database = await open();
      await database.sql`select count(*) from pg_class`;
      await database.close();
      print(`round ${round}`);
    }
  },
};

function open(): Promise<Database> {
  return openDatabase({
    onProgress: (message) => {
      print(`progress ${message}`);
    },
    ...(JSON.parse(config) as DatabaseConfig),
  });
}

async function leaveRequested(): Promise<void> {
  for await (const line of createInterface(process.stdin)) if (line === "leave") return;
}

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}

try {
  await MODES[mode]?.();
  process.stdin.destroy();
} catch (error) {
  const code = error instanceof Error && "code" in error ? String(error.code) : "";
  print(`failed ${code} ${error instanceof Error ? error.message : String(error)}`);
  process.exitCode = 1;
  process.stdin.destroy();
}
