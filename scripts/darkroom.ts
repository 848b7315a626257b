import { fileURLToPath } from "node:url";
import type { Browser, Page } from "playwright-core";
import { animatedWebp } from "./animated-webp.ts";
import type { Frame } from "./animated-webp.ts";

type Size = { width: number; height: number };

const IN_PAGE = fileURLToPath(new URL("./darkroom-page.js", import.meta.url));

const ADDRESS = "https://darkroom.invalid/";

/** Makes small pictures of large ones, in a page of the browser that took them. */
export class Darkroom {
  private readonly page: Page;

  private constructor(page: Page) {
    this.page = page;
  }

  static async open(browser: Browser): Promise<Darkroom> {
    const page = await browser.newPage();
    // Nothing is there: but only a page with an address of this kind may take moving pictures apart.
    await page.route(ADDRESS, (route) => route.fulfill({ body: "", contentType: "text/html" }));
    await page.goto(ADDRESS);
    await page.addScriptTag({ path: IN_PAGE });
    return new Darkroom(page);
  }

  /** A PNG as WebP: a fifth of its size, and as sharp where pixels are small. */
  async develop(png: Buffer, quality: number): Promise<Buffer> {
    return Buffer.from(await this.ask<string>("develop", addressOf(png), quality), "base64");
  }

  /** Pictures one after the other, each with how long it is shown, as one that moves. */
  async animate(shots: readonly { png: Buffer; ms: number }[], size: Size, quality: number): Promise<Buffer> {
    const { width, height } = size;
    const frames: Frame[] = [];
    let before: string | null = null;
    for (const { png, ms } of shots) {
      const now = addressOf(png);
      const change = await this.ask<(Omit<Frame, "still" | "ms"> & { still: string }) | null>(
        "difference",
        before,
        now,
        width,
        height,
        quality,
      );
      const last = frames.at(-1);
      before = now;
      if (change) frames.push({ ...change, still: Buffer.from(change.still, "base64"), ms });
      else if (last) last.ms += ms;
    }
    const moving = animatedWebp(size, frames);
    const source = `data:image/webp;base64,${moving.toString("base64")}`;
    const shown = await this.ask<number>("countFrames", source);
    if (shown !== frames.length) throw new Error(`the browser shows ${shown} frames of ${frames.length}`);
    return moving;
  }

  /** Calls what `darkroom-page.js` has put into the page. */
  private ask<Answer>(name: string, ...given: readonly unknown[]): Promise<Answer> {
    return this.page.evaluate(`window.darkroom.${name}(...${JSON.stringify(given)})`);
  }
}

function addressOf(png: Buffer): string {
  return `data:image/png;base64,${png.toString("base64")}`;
}
