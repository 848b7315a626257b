import { expect, test } from "vitest";
import { pawl } from "../../cli/pawl-process.ts";
import { until } from "../../support/until.ts";
import { bytes } from "./stand-ins/content.ts";
import { openLibrary, untilFinished } from "./test-library.ts";

const library = await openLibrary();
const { disk, telegram, addFile, addReader, tap } = library;
const EARLIER = "2020-01-01";

const run = (...args: string[]) =>
  pawl(["delivery", "retry", "--url", library.url, ...args], { env: { PAWL_TOKEN: library.admin } });

test("retry queues the jobs that an outage has failed, once, and no others", async () => {
  const [lost, missing] = [await addReader("501"), await addReader("502")];
  const { file_id } = await addFile("lost.txt", bytes("lost"));
  const gone = await addFile("gone.txt", bytes("gone"));
  disk.remove(gone.path);
  const worker = await library.startWorker({ concurrency: 1 });
  expect(await untilFinished(library, (await tap(missing, gone.file_id)).id)).toMatchObject({
    last_error: { code: "FILE_NOT_FOUND" },
  });
  const good = disk.tokens();
  disk.setTokens({ access: "changed", refresh: null });
  const failed = await untilFinished(library, (await tap(lost, file_id)).id);
  expect(failed).toMatchObject({ status: "FAILED", last_error: { code: "SOURCE_TOKEN_INVALID" } });

  const retried = await run("--since", EARLIER);
  expect(retried).toMatchObject({ code: 0, stderr: "" });
  expect(retried.stdout).toMatch(/^queued: lost\.txt \([\w-]+\)\n1 queued again\.\n$/);
  expect((await run("--since", EARLIER, "--json")).stdout).toBe('{\n  "jobs": []\n}\n');
  expect((await run("--since", EARLIER)).stdout).toBe("No job has failed because of an outage since then.\n");
  disk.setTokens(good);
  await until(() => telegram.documents(lost).length === 1);
  await worker.stop();
});

test.each([[["--since", "yesterday"]], [[]], [["--since", EARLIER, "7"]]])(
  "retry with %j is a mistake in the arguments",
  async (args) => {
    expect((await run(...args)).code).toBe(2);
  },
);

test("retry needs a role that may create jobs", async () => {
  const viewer = await library.member({ id: "onlooker", roles: ["viewer"] });
  const args = ["delivery", "retry", "--since", EARLIER, "--url", library.url];
  const refused = await pawl(args, { env: { PAWL_TOKEN: viewer } });
  expect(refused.code).not.toBe(0);
  expect(refused.stderr).not.toMatch(/ {4}at |bug in Pawl/);
});
