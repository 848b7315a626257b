#!/usr/bin/env node
import { readFileSync } from "node:fs";
import type { WriteStream } from "node:tty";
import picocolors from "picocolors";
import * as zod from "zod";
import { adminTokenFile } from "./admin-token-file.ts";
import { atDatabase, startApp } from "./app.ts";
import { run } from "./cli/index.ts";
import type { Screen, ServerFlags } from "./cli/index.ts";
import { loadConfig } from "./config.ts";
import * as core from "./core/index.ts";
import * as pawl from "./index.ts";
import * as lifecycles from "./lifecycles/index.ts";
import { resolveSettings } from "./settings.ts";
import { untilSignal } from "./until-signal.ts";

const { argv, env, stdout, stderr } = process;
const { version } = JSON.parse(readFileSync(new URL("../package.json", import.meta.url), "utf8")) as {
  version: string;
};

process.exitCode = await run(argv.slice(2), {
  version,
  out: screen(stdout),
  err: screen(stderr),
  debug: Boolean(env.PAWL_DEBUG),
  shipped: pawl.LIFECYCLES,
  loadConfig: readConfig,
  serve: async (flags, tell) => {
    const signalled = untilSignal();
    const adminToken = env.PAWL_ADMIN_TOKEN === "" ? undefined : env.PAWL_ADMIN_TOKEN;
    const app = await startApp({ ...(await setUp(flags)), version, adminToken });
    tell(app);
    await signalled;
    await app.stop();
  },
  house: {
    createOrg: async (id, flags) => {
      const { settings, lifecycles: own } = await setUp(flags);
      return atDatabase(settings, own, ({ directory }) => directory.createOrg(id));
    },
    resetAdmin: async (org, flags) => {
      const { settings, lifecycles: own } = await setUp(flags);
      const token = await atDatabase(settings, own, ({ directory }) => directory.resetAdmin(org));
      if (org !== "main") return { token, file: null };
      const file = adminTokenFile(settings.data);
      await file.write(token);
      return { token, file: file.path };
    },
  },
});

function readConfig(path: string | undefined) {
  const modules = { pawl, "pawl/core": core, "pawl/lifecycles": lifecycles, zod, "zod/v4": zod };
  return loadConfig({ cwd: process.cwd(), path, modules });
}

async function setUp({ config, ...flags }: ServerFlags) {
  const { lifecycles: own, settings: file } = await readConfig(config);
  return { lifecycles: own, settings: resolveSettings({ flags, env, file }) };
}

/** Colours and wrapped lines are for a terminal; NO_COLOR and FORCE_COLOR have the last word on colours. */
function screen(stream: WriteStream): Screen {
  // A reader that has seen enough (`pawl check | head`) is no fault, and the exit code still tells the result.
  stream.on("error", (error: NodeJS.ErrnoException) => {
    if (error.code !== "EPIPE") throw error;
  });
  // A stream that is no terminal has no `isTTY` and no `columns`, whatever its type says.
  const { isTTY = false, columns } = stream as Partial<WriteStream>;
  const coloured = !env.NO_COLOR && (Boolean(env.FORCE_COLOR) || (isTTY && env.TERM !== "dumb"));
  return {
    write: (text) => void stream.write(text),
    colours: picocolors.createColors(coloured),
    columns: isTTY ? (columns ?? 80) : Infinity,
  };
}
