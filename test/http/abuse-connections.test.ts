import { fork } from "node:child_process";
import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { ROOT } from "../support/built-pawl.ts";
import { emptyDatabase, scratchData, startPawl } from "./running-pawl.ts";

const CONNECTIONS = 5_000;

test("with 5,000 open connections other requests are answered, and memory stays below 500 MB", async ({
  skip,
}) => {
  const files = openFiles();
  skip(
    files < CONNECTIONS + 500,
    `a process may open ${files} files here; ${CONNECTIONS} connections need more`,
  );
  const server = await startPawl(["--data", await scratchData(), "--port", "0"], {
    env: { DATABASE_URL: await emptyDatabase(), PAWL_ADMIN_TOKEN: "an-admin-of-the-test" },
  });
  const crowd = fork(join(ROOT, "test/http/many-sockets.ts"), [server.address, String(CONNECTIONS)], {
    execArgv: ["--import", import.meta.resolve("tsx")],
  });
  onTestFinished(() => void crowd.kill("SIGKILL"));
  const [open] = (await once(crowd, "message")) as [number];
  expect(open).toBeGreaterThanOrEqual(CONNECTIONS);

  const asked = Array.from({ length: 20 }, () => server.ask("GET /api/me", "an-admin-of-the-test"));
  expect((await Promise.all(asked)).map(({ status }) => status)).toEqual(asked.map(() => 200));
  if (process.platform === "linux") {
    const status = await readFile(`/proc/${server.child.pid!}/status`, "utf8");
    expect(Number(/VmHWM:\s+(\d+) kB/.exec(status)?.[1]) / 1_024).toBeLessThan(500);
  }
  // The open connections do not delay the stop either.
  expect(await server.stop()).toBe(0);
});

/** Maximum open files, and so connections, of a process. */
function openFiles(): number {
  const { userLimits } = process.report.getReport() as {
    userLimits?: { open_files?: { soft: number | "unlimited" } };
  };
  const soft = userLimits?.open_files?.soft ?? "unlimited";
  return soft === "unlimited" ? Infinity : soft;
}
