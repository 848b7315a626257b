import { spawnSync } from "node:child_process";
import { existsSync, readFileSync, statSync } from "node:fs";
import { fileURLToPath } from "node:url";

/** The peers' modules are beside their manifest, outside of the build. */
export const PEERS = new URL("../../bench/peers/", import.meta.url);
const FOLDER = fileURLToPath(PEERS);
const INSTALLED = `${FOLDER}node_modules/.package-lock.json`;

export type Peers = { node: string } | { missing: string };

/** Installs the peers if they are missing or older than their lock file; returns the Node binary that they run on. */
export function installPeers(log: (message: string) => void): Peers {
  if (!isUpToDate()) {
    log("installing the queues that Pawl is compared with (bench/peers, once)");
    const { status, stderr } = spawnSync("npm", ["ci", "--ignore-scripts", "--no-audit", "--no-fund"], {
      cwd: FOLDER,
      encoding: "utf8",
      shell: process.platform === "win32",
    });
    if (status !== 0) return { missing: `npm ci in bench/peers failed: ${lastLine(stderr)}` };
  }
  const node = nodeOf(process.platform, process.arch);
  return existsSync(node)
    ? { node }
    : { missing: `the peers have no Node for ${process.platform} ${process.arch}` };
}

export function versionOfPeer(name: string): string {
  const manifest = readFileSync(`${FOLDER}node_modules/${name}/package.json`, "utf8");
  return (JSON.parse(manifest) as { version: string }).version;
}

function isUpToDate(): boolean {
  return (
    existsSync(INSTALLED) && statSync(INSTALLED).mtimeMs >= statSync(`${FOLDER}package-lock.json`).mtimeMs
  );
}

function nodeOf(platform: string, arch: string): string {
  const name =
    platform === "win32" ? "win" : platform === "darwin" && arch === "arm64" ? "bin-darwin" : platform;
  return `${FOLDER}node_modules/node-${name}-${arch}/bin/node${platform === "win32" ? ".exe" : ""}`;
}

function lastLine(text: string): string {
  return text.trim().split("\n").at(-1) ?? "";
}
