import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createClient } from "pawl/client";
import { expect, onTestFinished, test } from "vitest";

test("members of the demo pay invoices", async () => {
  const { url, token } = await startDemo();
  const { token: visitor } = await createClient({ url, token }).startDemo();
  const client = createClient({ url, token: visitor });
  const paid = async () => (await client.listTasks({ lifecycle: "invoices", status: ["paid"] })).tasks.length;
  await expect.poll(paid, { timeout: 170_000, interval: 500 }).toBeGreaterThan(0);
});

/** Runs `pawl start --demo` in this folder at 100 times human speed. */
async function startDemo() {
  const data = await mkdtemp(join(tmpdir(), "invoices-demo-"));
  const token = "an-admin-of-the-test";
  const env = {
    ...process.env,
    PAWL_DATA: data,
    PAWL_PORT: "0",
    PAWL_ADMIN_TOKEN: token,
    PAWL_DEMO_PACE: "100",
  };
  const pawl = spawn("node_modules/.bin/pawl", ["start", "--demo"], {
    env,
    stdio: ["ignore", "pipe", "ignore"],
  });
  onTestFinished(async () => {
    const ended = once(pawl, "close");
    pawl.kill();
    await ended;
    await rm(data, { recursive: true });
  });
  let output = "";
  for await (const text of pawl.stdout.setEncoding("utf8")) {
    output += text as string;
    const url = /http:\S+?(?=;)/.exec(output)?.[0];
    if (url) return { url, token };
  }
  throw new Error(`the server did not start: ${output}`);
}
