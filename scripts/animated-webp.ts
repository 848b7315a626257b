/** A picture of an animation: a still WebP, where it lies on the canvas, and how long it is shown. */
export type Frame = { x: number; y: number; width: number; height: number; still: Buffer; ms: number };

const ANIMATED = 0x02;
/** What was there is overwritten, not blended with. */
const NO_BLENDING = 0x02;

/**
 * Puts still WebPs into one that moves and begins again when it is over. The browser that makes the stills encodes well, but
 * makes no animations; the container is all that is missing.
 */
export function animatedWebp(canvas: { width: number; height: number }, frames: readonly Frame[]): Buffer {
  const header = Buffer.concat([
    Buffer.from([ANIMATED, 0, 0, 0]),
    threeBytes(canvas.width - 1),
    threeBytes(canvas.height - 1),
  ]);
  const forEver = Buffer.alloc(6);
  const body = Buffer.concat([
    Buffer.from("WEBP"),
    chunk("VP8X", header),
    chunk("ANIM", forEver),
    ...frames.map((frame) => chunk("ANMF", frameBody(frame))),
  ]);
  return Buffer.concat([Buffer.from("RIFF"), fourBytes(body.length), body]);
}

function frameBody({ x, y, width, height, still, ms }: Frame): Buffer {
  if (x % 2 || y % 2) throw new Error("a frame lies on even places only");
  return Buffer.concat([
    threeBytes(x / 2),
    threeBytes(y / 2),
    threeBytes(width - 1),
    threeBytes(height - 1),
    threeBytes(ms),
    Buffer.from([NO_BLENDING]),
    ...picturesIn(still),
  ]);
}

/** The chunks of a still that hold its picture; what else there is says nothing that the container does not. */
function picturesIn(still: Buffer): Buffer[] {
  const found: Buffer[] = [];
  for (let at = 12; at < still.length;) {
    const name = still.toString("latin1", at, at + 4);
    const length = still.readUInt32LE(at + 4);
    const end = at + 8 + length + (length % 2);
    if (["ALPH", "VP8 ", "VP8L"].includes(name)) found.push(still.subarray(at, end));
    at = end;
  }
  if (found.length === 0) throw new Error("there is no picture in a still");
  return found;
}

function chunk(name: string, body: Buffer): Buffer {
  return Buffer.concat([Buffer.from(name), fourBytes(body.length), body, Buffer.alloc(body.length % 2)]);
}

function threeBytes(number: number): Buffer {
  const bytes = Buffer.alloc(3);
  bytes.writeUIntLE(number, 0, 3);
  return bytes;
}

function fourBytes(number: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32LE(number);
  return bytes;
}
