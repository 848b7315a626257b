/* global createImageBitmap, ImageDecoder, OffscreenCanvas, window */
// Runs in a page of the browser that took the screenshots: a browser can decode and encode images, Node cannot.

window.imageEncoder = {
  /** Encodes an image as WebP. */
  async toWebp(source, quality) {
    const image = await imageOf(source);
    return encode(await draw(image, image.width, image.height), quality);
  },

  /** Returns the rectangle that differs from the image before, at even coordinates; null if nothing differs. */
  async difference(before, now, width, height, quality) {
    const was = before === null ? null : pixelsOf(await draw(await imageOf(before), width, height));
    const canvas = await draw(await imageOf(now), width, height);
    const box =
      was === null ? { left: 0, top: 0, width, height } : changedBox(was, pixelsOf(canvas), width, height);
    if (box === null) return null;
    const piece = new OffscreenCanvas(box.width, box.height);
    piece.getContext("2d", { alpha: false }).drawImage(canvas, -box.left, -box.top);
    return {
      x: box.left,
      y: box.top,
      width: box.width,
      height: box.height,
      still: await encode(piece, quality),
    };
  },

  /** Counts the frames of an animation, and checks that the last one can be decoded. */
  async countFrames(source) {
    const data = await (await fetch(source)).arrayBuffer();
    const decoder = new ImageDecoder({ data, type: "image/webp" });
    await decoder.tracks.ready;
    const { frameCount } = decoder.tracks.selectedTrack;
    await decoder.decode({ frameIndex: frameCount - 1 });
    return frameCount;
  },
};

async function imageOf(source) {
  return createImageBitmap(await (await fetch(source)).blob());
}

async function draw(image, width, height) {
  const canvas = new OffscreenCanvas(width, height);
  const context = canvas.getContext("2d", { alpha: false, willReadFrequently: true });
  context.imageSmoothingQuality = "high";
  context.drawImage(image, 0, 0, width, height);
  return canvas;
}

function pixelsOf(canvas) {
  return new Uint32Array(canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height).data.buffer);
}

function changedBox(was, is, width, height) {
  let [left, top, right, bottom] = [width, height, -1, -1];
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) {
      if (was[y * width + x] === is[y * width + x]) continue;
      left = Math.min(left, x);
      right = Math.max(right, x);
      top = Math.min(top, y);
      bottom = y;
    }
  }
  if (right < 0) return null;
  left -= left % 2;
  top -= top % 2;
  return { left, top, width: right - left + 1, height: bottom - top + 1 };
}

async function encode(canvas, quality) {
  const blob = await canvas.convertToBlob({ type: "image/webp", quality });
  const bytes = new Uint8Array(await blob.arrayBuffer());
  return btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(""));
}
