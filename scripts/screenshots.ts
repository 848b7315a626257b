// Takes the pictures of README and docs: starts a server with the demo, looks at it with a browser, and writes docs/pictures.
// `npm run screenshots` for all of them; names after it for some: `npm run screenshots -- board demo`.
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
import { openBrowser, whyNoBrowser } from "../test/support/browser.ts";
import { Darkroom } from "./darkroom.ts";

const PICTURES = fileURLToPath(new URL("../docs/pictures/", import.meta.url));
const ADMIN = "the-admin-of-the-pictures";
const SIZE = { width: 1600, height: 1000 };
const QUALITY = 0.82;
/** So long the demo plays before the first picture: enough for every column to have something in it. */
const OVERTURE_MS = 45_000;
const THEMES = ["light", "dark"] as const;

type Place = string | ((visitor: Client) => Promise<string>);

/** Each still: where it is taken, and what must be there before. */
const STILLS: Readonly<Record<string, { at: Place; ready: string }>> = {
  overview: { at: "/?window=hour", ready: ".overview-main .card" },
  board: { at: "/lifecycles/board/board", ready: "article" },
  task: { at: taskWithStory, ready: "main h1" },
  lifecycle: { at: "/lifecycles/board/rules", ready: ".react-flow__node" },
  planner: { at: "/lifecycles/planner/board", ready: "article" },
  shifts: { at: "/lifecycles/planner/shifts", ready: "main h1" },
  delivery: { at: "/lifecycles/delivery/queue", ready: "main h1" },
  workers: { at: "/lifecycles/code/workers", ready: "main h1" },
  graph: { at: "/lifecycles/code/graph", ready: ".react-flow__node" },
  chat: { at: "/lifecycles/bot-actions/chat", ready: "main h1" },
  events: { at: "/events", ready: "main h1" },
};

/** The moving one: from place to place, so many pictures each. */
const TOUR = [
  { at: "/?window=hour", shots: 8 },
  { at: "/lifecycles/board/board", shots: 28 },
  { at: "/lifecycles/planner/board", shots: 16 },
  { at: "/lifecycles/code/workers", shots: 14 },
  { at: "/lifecycles/bot-actions/chat", shots: 18 },
] as const;
const MOVING = { width: 1280, height: 800 };
const MOVING_QUALITY = 0.72;
const SHOWN_MS = 320;

const why = await whyNoBrowser();
if (why !== null) throw new Error(why);
const wanted = process.argv.slice(2);
const isWanted = (name: string) => wanted.length === 0 || wanted.includes(name);
const data = await mkdtemp(join(tmpdir(), "pawl-pictures-"));
const env = {
  PAWL_DATA: data,
  PAWL_PORT: "0",
  PAWL_LOG_LEVEL: "warn",
  PAWL_SWEEP_SECONDS: "5",
  PAWL_DEMO_PACE: "8",
};
const settings = resolveSettings({ flags: {}, env, file: {} }, PLUGINS);
const app = await startApp({ settings, version: "0.0.0", plugins: [], adminToken: ADMIN, demo: true });
const browser = await openBrowser();
try {
  const { token } = await createClient({ url: app.address, token: ADMIN }).startDemo();
  await pause(OVERTURE_MS);
  await mkdir(PICTURES, { recursive: true });
  const darkroom = await Darkroom.open(browser);
  for (const theme of THEMES) await takeStills(browser, darkroom, token, theme);
  if (isWanted("demo")) await takeTour(browser, darkroom, token);
} finally {
  await browser.close();
  await app.stop();
  await rm(data, { recursive: true, force: true });
}

async function takeStills(
  browser: Browser,
  darkroom: Darkroom,
  token: string,
  theme: (typeof THEMES)[number],
) {
  const visitor = createClient({ url: app.address, token });
  const page = await visit(browser, token, { colorScheme: theme, deviceScaleFactor: 1.5 });
  for (const [name, { at, ready }] of Object.entries(STILLS).filter(([one]) => isWanted(one))) {
    await look(page, typeof at === "string" ? at : await at(visitor));
    await page.locator(ready).first().waitFor();
    await pause(1_500);
    await save(`${name}-${theme}`, await darkroom.develop(await page.screenshot(), QUALITY));
  }
  await page.context().close();
}

async function takeTour(browser: Browser, darkroom: Darkroom, token: string) {
  const page = await visit(browser, token, {
    colorScheme: "light",
    deviceScaleFactor: 1,
  });
  const shots: { png: Buffer; ms: number }[] = [];
  for (const { at, shots: count } of TOUR) {
    await look(page, at);
    await pause(2_000);
    for (let shot = 0; shot < count; shot++) {
      shots.push({ png: await page.screenshot(), ms: SHOWN_MS });
      await pause(250);
    }
  }
  await page.context().close();
  await save("demo", await darkroom.animate(shots, MOVING, MOVING_QUALITY));
}

async function visit(browser: Browser, token: string, how: BrowserContextOptions) {
  const context = await browser.newContext({ viewport: SIZE, locale: "en", reducedMotion: "reduce", ...how });
  await context.request.post(`${app.address}/api/session`, { data: { token } });
  const page = await context.newPage();
  await page.goto(app.address);
  return page;
}

async function look(page: Page, path: string): Promise<void> {
  await page.goto(app.address + path);
  await page.locator("[data-connection=live]").waitFor();
}

/** One that has been through a lot. */
async function taskWithStory(visitor: Client): Promise<string> {
  const { tasks } = await visitor.listTasks({ lifecycle: "board", limit: 200 });
  const [task] = tasks.toSorted((one, other) => other.row_version - one.row_version);
  if (!task) throw new Error("the demo has no tasks");
  return `/tasks/${task.id}`;
}

async function save(name: string, picture: Buffer): Promise<void> {
  await writeFile(join(PICTURES, `${name}.webp`), picture);
  console.log(`docs/pictures/${name}.webp, ${Math.round(picture.length / 1_024)} kB`);
}
