#!/usr/bin/env node
import { readFileSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { basename, join } from "node:path";
import type { WriteStream } from "node:tty";
import { fileURLToPath } from "node:url";
import * as zod from "zod";
import { adminTokenFile } from "./admin-token-file.ts";
import { agentServices } from "./agent-setup.ts";
import type { App } from "./app.ts";
import { ownColours, run, toTerminal } from "../cli/index.ts";
import type { Output, Screen, ServerFlags, CliEnvironment } from "../cli/index.ts";
import { findConfig, loadConfig } from "./config.ts";
import { inspectInstallation, verifyInstallation } from "./inspect-installation.ts";
import {
  driftOfInstallation,
  grantsOfInstallation,
  migrateInstallation,
  scriptOfInstallation,
} from "./migrate-installation.ts";
import { findServer } from "./find-server.ts";
import * as api from "../api/index.ts";
import * as client from "../client/index.ts";
import * as core from "../core/index.ts";
import * as pawl from "./index.ts";
import { PLUGINS } from "../lifecycles/index.ts";
import { checkInProcess } from "./check-process.ts";
import * as plugin from "../plugin/index.ts";
import { LogDestination } from "./log-destination.ts";
import { shownVersionsFile } from "./shown-versions-file.ts";
import { secretFile } from "../std/secret-file.ts";
import { refuseIgnored, resolveSettings } from "./settings.ts";
import { untilSignal } from "../std/until-signal.ts";
import { watchReader } from "../std/watch-reader.ts";
import { withTimeout } from "../std/with-timeout.ts";

const { argv, env, stdout, stderr } = process;
const { version } = JSON.parse(readFileSync(new URL("../../package.json", import.meta.url), "utf8")) as {
  version: string;
};

/** Loads the server's part of the program, which most commands do not need. */
const loadApp = () => import("./app.ts");

/** Timeout of the clean-up after a signal during start-up on an external database. */
const CLEAN_UP_TIMEOUT_MS = 10_000;

const environment: CliEnvironment = {
  version,
  out: output(stdout),
  err: errors(stderr),
  debug: Boolean(env.PAWL_DEBUG),
  now: Date.now,
  untilStopped: untilSignal,
  shipped: pawl.LIFECYCLES,
  loadConfig: async (chosen) => {
    const { path, plugins } = await readConfig(chosen);
    return { path, lifecycles: plugins.map(({ lifecycle }) => lifecycle) };
  },
  configHere: () => {
    const file = findConfig(process.cwd());
    return file === null ? null : basename(file);
  },
  writeNew: async (name, text) => {
    try {
      await writeFile(name, text, { flag: "wx" });
      return true;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === "EEXIST") return false;
      throw new core.PawlError("INVALID_CONFIG", `${name} cannot be written: ${(error as Error).message}.`);
    }
  },
  findServer: async ({ url, data }) => findServer({ url, env, settings: await settingsOf(data) }),
  shownVersions: shownVersionsFile(env),
  serve: async ({ demo, ...flags }, onStart) => {
    const stopping = new AbortController();
    const { signal } = stopping;
    const signalled = untilSignal().then(() => {
      stopping.abort();
    });
    const adminToken = env.PAWL_ADMIN_TOKEN === "" ? undefined : env.PAWL_ADMIN_TOKEN;
    const installation = await Promise.race([loadInstallation(flags), signalled]);
    if (!installation) process.exit(0);
    // In the order of POSIX; an empty variable counts as unset.
    const locale = [env.LC_ALL, env.LC_MESSAGES, env.LANG].find(Boolean);
    const { startApp } = await loadApp();
    const check = checkInProcess(fileURLToPath(import.meta.url), flags.config ?? null);
    const starting = startApp({ ...installation, version, adminToken, demo, locale, check, signal });
    const app = await Promise.race([starting, signalled]);
    if (!app) return abortStart(starting, { embedded: installation.settings.databaseUrl === null });
    // Not into a log that others read later, except at the very first start.
    const printsLink = stdout.isTTY || app.adminToken?.created === true;
    onStart({
      ...app,
      loginLink: printsLink ? await app.loginLink().catch(() => null) : null,
      command: env.npm_lifecycle_event === "start" ? "`npm start -- --demo`" : "`pawl start --demo`",
    });
    await signalled;
    await app.stop();
  },
  startProcess: async (lifecycle, { data }) => {
    const settings = await settingsOf(data);
    refuseIgnored(settings, lifecycle);
    return {
      settings: { ...settings, ...settings.plugins },
      log: (await loadApp()).openLog(settings),
      secretFile: (name) => secretFile(join(settings.data, lifecycle, name)),
    };
  },
  loadCommands: async () => commandsOf((await readConfig(undefined)).plugins),
  agents: agentServices({
    version,
    cwd: process.cwd(),
    installation: {
      node: process.execPath,
      bin: fileURLToPath(import.meta.url),
      root: fileURLToPath(new URL("../..", import.meta.url)),
    },
    dataFolder: async ({ data }) => (await settingsOf(data)).data,
    // Lazy, because reading `process.stdin` opens the standard input.
    streams: () => ({ input: process.stdin, output: stdout }),
  }),
  admin: {
    createOrg: async (id, flags) => {
      const { settings, plugins } = await loadInstallation(flags);
      const { withDatabase } = await loadApp();
      return withDatabase(settings, plugins, ({ directory }) => directory.createOrg(id));
    },
    resetAdmin: async (org, flags) => {
      const { settings, plugins } = await loadInstallation(flags);
      const { withDatabase } = await loadApp();
      const token = await withDatabase(settings, plugins, ({ directory }) => directory.resetAdmin(org));
      if (org !== "main") return { token, file: null };
      const file = adminTokenFile(settings.data);
      await file.write(token);
      return { token, file: file.path };
    },
    verify: async (org, flags, onProgress) =>
      verifyInstallation(await loadInstallation(flags), org, onProgress),
    migrate: async (flags) => migrateInstallation(await loadInstallation(flags)),
    migrationScript: async (flags) => scriptOfInstallation(await loadInstallation(flags)),
    findDrift: async (flags) => driftOfInstallation(await loadInstallation(flags)),
    grantScript: async (role, flags) => grantsOfInstallation(await loadInstallation(flags), role),
    inspect: (flags) => inspectInstallation(() => loadInstallation(flags)),
  },
};

process.exitCode = await run(argv.slice(2), environment, commandsOf(PLUGINS));

/**
 * Exits after a signal during start-up. Waits until an embedded PostgreSQL has started and stops it, because it would
 * outlive this process. A second signal ends the process at once.
 */
async function abortStart(starting: Promise<App>, { embedded }: { embedded: boolean }): Promise<never> {
  const stopped = starting.then((app) => app.stop()).catch(() => undefined);
  await (embedded ? stopped : withTimeout(stopped, CLEAN_UP_TIMEOUT_MS, () => undefined));
  process.exit(0);
}

async function readConfig(path: string | undefined) {
  const builtIn = PLUGINS.map(async ({ lifecycle: { name } }): Promise<[string, unknown]> => [
    `pawl/lifecycles/${name}`,
    await import(`../lifecycles/${name}/index.ts`),
  ]);
  const modules = {
    pawl,
    "pawl/core": core,
    "pawl/api": api,
    "pawl/client": client,
    "pawl/plugin": plugin,
    ...Object.fromEntries(await Promise.all(builtIn)),
    zod,
    "zod/v4": zod,
  };
  return loadConfig({ cwd: process.cwd(), path, modules });
}

/** Settings of commands that call a server. A broken configuration is ignored: it must not hide a running server. */
async function settingsOf(data: string | undefined) {
  const { settings: file, plugins } = await readConfig(undefined).catch(() => ({
    settings: {},
    plugins: [],
  }));
  return resolveSettings({ flags: data === undefined ? {} : { data }, env, file }, [...PLUGINS, ...plugins]);
}

async function loadInstallation({ config, ...flags }: ServerFlags) {
  const { path, plugins, settings: file } = await readConfig(config);
  const fileName = path === null ? null : basename(path);
  const settings = resolveSettings({ flags, env, file }, [...PLUGINS, ...plugins]);
  return { plugins, settings, config: fileName };
}

function commandsOf(plugins: readonly plugin.Plugin[]): plugin.AddCommands[] {
  return plugins.flatMap(({ lifecycle, commands }) => {
    if (!commands) return [];
    return (...given: Parameters<plugin.AddCommands>) => {
      const [program] = given;
      const before = program.commands.length;
      try {
        commands(...given);
        for (const added of program.commands.slice(before))
          added.hook("preAction", (_, command) => refuseIfOff(lifecycle.name, command.optsWithGlobals()));
      } catch (error) {
        const why = error instanceof Error ? error.message : String(error);
        throw new core.PawlError(
          "INVALID_CONFIG",
          `Plugin "${lifecycle.name}": its commands cannot be added: ${why}`,
          {},
          { cause: error },
        );
      }
    };
  });
}

/** Throws INVALID_CONFIG for a command of a built-in plugin that is off here, unless it calls a server elsewhere. */
async function refuseIfOff(name: string, { url, data }: { url?: string; data?: string }): Promise<void> {
  if (!PLUGINS.some(({ lifecycle }) => lifecycle.name === name) || url !== undefined || env.PAWL_URL) return;
  const { builtInPlugins } = await settingsOf(data);
  if ((builtInPlugins as readonly string[]).includes(name)) return;
  throw new core.PawlError(
    "INVALID_CONFIG",
    `The built-in plugin "${name}" is off: add it to PAWL_BUILT_IN_PLUGINS, or to builtInPlugins in pawl.config.ts.`,
  );
}

/** Standard error. Write errors are ignored: they cannot be reported anywhere, and the exit code still shows the result. */
function errors(stream: WriteStream): Screen {
  stream.on("error", () => undefined);
  return screen(stream, (text) => void stream.write(text));
}

function output(stream: typeof process.stdout): Output {
  let onClosed: () => void = () => undefined;
  const closed = new Promise<void>((resolve) => {
    onClosed = resolve;
  });
  let [write, ignoresErrors] = [(text: string) => void stream.write(text), false];
  stream.on("error", (error: NodeJS.ErrnoException) => {
    // The reader may close the pipe early, as in `pawl check | head`.
    if (error.code === "EPIPE") onClosed();
    else if (!ignoresErrors) throw error;
  });
  const ignoreWriteErrors: Output["ignoreWriteErrors"] = (report = reportAsText) => {
    ignoresErrors = true;
    // Node destroys the stream of a file or a pipe at its first error, so write to the file descriptor instead.
    if (stream.isTTY) return;
    const destination = new LogDestination(stream.fd, { report });
    write = (text) => {
      destination.write(text);
    };
  };
  const shown = screen(stream, (text) => {
    write(text);
  });
  const untilClosed = () => {
    watchReader(stream.fd, onClosed);
    return closed;
  };
  return Object.assign(shown, { untilClosed, ignoreWriteErrors });
}

function reportAsText(dropped: number, reason: string): string {
  return `pawl: ${dropped} ${dropped === 1 ? "line" : "lines"} of output dropped (${reason}).\n`;
}

/** A terminal gets wrapped lines and colours, other streams neither; NO_COLOR and FORCE_COLOR override the colours. */
function screen(stream: WriteStream, write: Screen["write"]): Screen {
  // A stream other than a terminal has no `isTTY` and no `columns`, despite its type.
  const { isTTY = false } = stream as Partial<WriteStream>;
  const coloured = !env.NO_COLOR && (Boolean(env.FORCE_COLOR) || (isTTY && env.TERM !== "dumb"));
  return {
    write: (text) => {
      write(toTerminal(text));
    },
    colours: ownColours(coloured),
    // Read each time, because the window can be resized.
    get columns() {
      return isTTY ? stream.columns || 80 : Infinity;
    },
    get rows() {
      return isTTY ? stream.rows || 24 : Infinity;
    },
  };
}
