// Takes the screenshots of README and docs: starts a server with the demo, opens it in a browser, and writes docs/pictures.
// `npm run screenshots` takes all of them, `npm run screenshots -- board demo` only those named.
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import type { Browser, BrowserContextOptions, Page } from "playwright-core";
import { startApp } from "../src/main/app.ts";
import { createClient } from "../src/client/index.ts";
import type { Client } from "../src/client/index.ts";
import { PLUGINS } from "../src/lifecycles/index.ts";
import { resolveSettings } from "../src/main/settings.ts";
import { openBrowser, browserProblem } from "../test/support/browser.ts";
import { ImageEncoder } from "./image-encoder.ts";

const PICTURES = fileURLToPath(new URL("../docs/pictures/", import.meta.url));
const ADMIN = "the-admin-of-the-pictures";
const SIZE = { width: 1600, height: 1000 };
const QUALITY = 0.82;
/** Time for which the demo runs before the first screenshot, so that every column has tasks. */
const DEMO_WARMUP_MS = 45_000;
const THEMES = ["light", "dark"] as const;

type Path = string | ((visitor: Client) => Promise<string>);

/** The screenshots: the path of the page, and the selector to wait for. */
const STILLS: Readonly<Record<string, { at: Path; ready: string }>> = {
  overview: { at: "/?window=hour", ready: ".overview-main .card" },
  board: { at: "/lifecycles/board/board", ready: "article" },
  task: { at: taskWithLongHistory, ready: "main h1" },
  lifecycle: { at: "/lifecycles/board/rules", ready: ".react-flow__node" },
  planner: { at: "/lifecycles/planner/board", ready: "article" },
  shifts: { at: "/lifecycles/planner/shifts", ready: "main h1" },
  delivery: { at: "/lifecycles/delivery/queue", ready: "main h1" },
  workers: { at: "/lifecycles/code/workers", ready: "main h1" },
  graph: { at: "/lifecycles/code/graph", ready: ".react-flow__node" },
  chat: { at: "/lifecycles/bot-actions/chat", ready: "main h1" },
  events: { at: "/events", ready: "main h1" },
};

/** The animation: the pages that it shows, with the number of frames of each. */
const TOUR = [
  { at: "/?window=hour", shots: 8 },
  { at: "/lifecycles/board/board", shots: 28 },
  { at: "/lifecycles/planner/board", shots: 16 },
  { at: "/lifecycles/code/workers", shots: 14 },
  { at: "/lifecycles/bot-actions/chat", shots: 18 },
] as const;
const ANIMATION_SIZE = { width: 1280, height: 800 };
const ANIMATION_QUALITY = 0.72;
const FRAME_MS = 320;

const reason = await browserProblem();
if (reason !== null) throw new Error(reason);
const wanted = process.argv.slice(2);
const isWanted = (name: string) => wanted.length === 0 || wanted.includes(name);
const data = await mkdtemp(join(tmpdir(), "pawl-pictures-"));
const env = {
  PAWL_DATA: data,
  PAWL_PORT: "0",
  PAWL_LOG_LEVEL: "warn",
  PAWL_SWEEP_SECONDS: "5",
  PAWL_DEMO_LANGUAGE: "en",
  PAWL_DEMO_PACE: "8",
};
const settings = resolveSettings({ flags: {}, env, file: {} }, PLUGINS);
const app = await startApp({ settings, version: "0.0.0", plugins: [], adminToken: ADMIN, demo: true });
const browser = await openBrowser();
try {
  const { token } = await createClient({ url: app.address, token: ADMIN }).startDemo();
  await pause(DEMO_WARMUP_MS);
  await mkdir(PICTURES, { recursive: true });
  const encoder = await ImageEncoder.open(browser);
  for (const theme of THEMES) await takeStills(browser, encoder, token, theme);
  if (isWanted("demo")) await takeTour(browser, encoder, token);
} finally {
  await browser.close();
  await app.stop();
  await rm(data, { recursive: true, force: true });
}

async function takeStills(
  browser: Browser,
  encoder: ImageEncoder,
  token: string,
  theme: (typeof THEMES)[number],
) {
  const visitor = createClient({ url: app.address, token });
  const page = await visit(browser, token, { colorScheme: theme, deviceScaleFactor: 1.5 });
  for (const [name, { at, ready }] of Object.entries(STILLS).filter(([one]) => isWanted(one))) {
    await openPage(page, typeof at === "string" ? at : await at(visitor));
    await page.locator(ready).first().waitFor();
    await pause(1_500);
    await save(`${name}-${theme}`, await encoder.toWebp(await page.screenshot(), QUALITY));
  }
  await page.context().close();
}

async function takeTour(browser: Browser, encoder: ImageEncoder, token: string) {
  const page = await visit(browser, token, {
    colorScheme: "light",
    deviceScaleFactor: 1,
  });
  const shots: { png: Buffer; ms: number }[] = [];
  for (const { at, shots: count } of TOUR) {
    await openPage(page, at);
    await pause(2_000);
    for (let shot = 0; shot < count; shot++) {
      shots.push({ png: await page.screenshot(), ms: FRAME_MS });
      await pause(250);
    }
  }
  await page.context().close();
  await save("demo", await encoder.animate(shots, ANIMATION_SIZE, ANIMATION_QUALITY));
}

async function visit(browser: Browser, token: string, options: BrowserContextOptions) {
  const context = await browser.newContext({
    viewport: SIZE,
    locale: "en",
    reducedMotion: "reduce",
    ...options,
  });
  await context.request.post(`${app.address}/api/session`, { data: { token } });
  const page = await context.newPage();
  await page.goto(app.address);
  return page;
}

async function openPage(page: Page, path: string): Promise<void> {
  await page.goto(app.address + path);
  await page.locator("[data-connection=live]").waitFor();
}

/** Returns the path of the task with the most changes. */
async function taskWithLongHistory(visitor: Client): Promise<string> {
  const { tasks } = await visitor.listTasks({ lifecycle: "board", limit: 200 });
  const [task] = tasks.toSorted((one, other) => other.row_version - one.row_version);
  if (!task) throw new Error("the demo has no tasks");
  return `/tasks/${task.id}`;
}

async function save(name: string, picture: Buffer): Promise<void> {
  await writeFile(join(PICTURES, `${name}.webp`), picture);
  console.log(`docs/pictures/${name}.webp, ${Math.round(picture.length / 1_024)} kB`);
}
