import { fileURLToPath } from "node:url";
import type { Browser, Page } from "playwright-core";
import { animatedWebp } from "./animated-webp.ts";
import type { Frame } from "./animated-webp.ts";

type Size = { width: number; height: number };

const IN_PAGE = fileURLToPath(new URL("./image-encoder-page.js", import.meta.url));

const ADDRESS = "https://image-encoder.invalid/";

/** Encodes screenshots as small WebP files, in a page of the browser that took them. */
export class ImageEncoder {
  private readonly page: Page;

  private constructor(page: Page) {
    this.page = page;
  }

  static async open(browser: Browser): Promise<ImageEncoder> {
    const page = await browser.newPage();
    // ImageDecoder is available in secure contexts only, so the page needs an https address.
    await page.route(ADDRESS, (route) => route.fulfill({ body: "", contentType: "text/html" }));
    await page.goto(ADDRESS);
    await page.addScriptTag({ path: IN_PAGE });
    return new ImageEncoder(page);
  }

  /** Encodes a PNG as WebP, which takes a fifth of its size. */
  async toWebp(png: Buffer, quality: number): Promise<Buffer> {
    return Buffer.from(await this.callInPage<string>("toWebp", dataUrlOf(png), quality), "base64");
  }

  /** Encodes screenshots as an animation; each is shown for its own time. */
  async animate(shots: readonly { png: Buffer; ms: number }[], size: Size, quality: number): Promise<Buffer> {
    const { width, height } = size;
    const frames: Frame[] = [];
    let before: string | null = null;
    for (const { png, ms } of shots) {
      const now = dataUrlOf(png);
      const change = await this.callInPage<(Omit<Frame, "still" | "ms"> & { still: string }) | null>(
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
    const animation = animatedWebp(size, frames);
    const source = `data:image/webp;base64,${animation.toString("base64")}`;
    const shown = await this.callInPage<number>("countFrames", source);
    if (shown !== frames.length) throw new Error(`the browser shows ${shown} frames of ${frames.length}`);
    return animation;
  }

  /** Calls a function that `image-encoder-page.js` has added to the page. */
  private callInPage<Answer>(name: string, ...args: readonly unknown[]): Promise<Answer> {
    return this.page.evaluate(`window.imageEncoder.${name}(...${JSON.stringify(args)})`);
  }
}

function dataUrlOf(png: Buffer): string {
  return `data:image/png;base64,${png.toString("base64")}`;
}
