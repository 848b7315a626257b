import { mkdir, mkdtemp, readdir, readFile, rm, stat, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { replaceFile } from "./replace-file.ts";
import { secretFile } from "./secret-file.ts";

async function scratch(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "pawl-replace-"));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

test("a symbolic link planted at a predictable draft name is not written through", async () => {
  const folder = await scratch();
  const path = join(folder, "admin-token");
  await writeFile(join(folder, "victim"), "untouched", { mode: 0o666 });
  await symlink(join(folder, "victim"), `${path}.${process.pid}`);
  await secretFile(path).write("a secret");
  expect(await readFile(path, "utf8")).toBe("a secret\n");
  expect((await stat(path)).mode & 0o777).toBe(0o600);
  expect(await readFile(join(folder, "victim"), "utf8")).toBe("untouched");
});

test("a failed replacement removes its draft", async () => {
  const folder = await scratch();
  await writeFile(join(folder, "plain"), "");
  await expect(replaceFile(join(folder, "plain/inside"), "x", { mode: 0o600 })).rejects.toThrow();
  const target = join(folder, "target");
  await mkdir(join(target, "full"), { recursive: true });
  await expect(replaceFile(target, "x", { mode: 0o600 })).rejects.toThrow();
  expect((await readdir(folder)).sort()).toEqual(["plain", "target"]);
});
