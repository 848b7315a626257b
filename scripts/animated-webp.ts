/** A frame of an animation: a still WebP, its position on the canvas, and how long it is shown. */
export type Frame = { x: number; y: number; width: number; height: number; still: Buffer; ms: number };

const ANIMATED = 0x02;
/** The frame replaces the pixels below it instead of blending with them. */
const NO_BLENDING = 0x02;

/**
 * Combines still WebPs into an animation that loops forever. The browser encodes the stills but cannot write animations, so
 * only the container is written here.
 */
export function animatedWebp(canvas: { width: number; height: number }, frames: readonly Frame[]): Buffer {
  const header = Buffer.concat([
    Buffer.from([ANIMATED, 0, 0, 0]),
    threeBytes(canvas.width - 1),
    threeBytes(canvas.height - 1),
  ]);
  // Background colour 0, loop count 0: forever.
  const animation = Buffer.alloc(6);
  const body = Buffer.concat([
    Buffer.from("WEBP"),
    chunk("VP8X", header),
    chunk("ANIM", animation),
    ...frames.map((frame) => chunk("ANMF", frameBody(frame))),
  ]);
  return Buffer.concat([Buffer.from("RIFF"), fourBytes(body.length), body]);
}

function frameBody({ x, y, width, height, still, ms }: Frame): Buffer {
  if (x % 2 || y % 2) throw new Error("the position of a frame must be even");
  return Buffer.concat([
    threeBytes(x / 2),
    threeBytes(y / 2),
    threeBytes(width - 1),
    threeBytes(height - 1),
    threeBytes(ms),
    Buffer.from([NO_BLENDING]),
    ...imageChunksOf(still),
  ]);
}

/** Returns the chunks of a still that hold its image; the container repeats everything else. */
function imageChunksOf(still: Buffer): Buffer[] {
  const chunks: Buffer[] = [];
  for (let offset = 12; offset < still.length;) {
    const name = still.toString("latin1", offset, offset + 4);
    const length = still.readUInt32LE(offset + 4);
    const end = offset + 8 + length + (length % 2);
    if (["ALPH", "VP8 ", "VP8L"].includes(name)) chunks.push(still.subarray(offset, end));
    offset = end;
  }
  if (chunks.length === 0) throw new Error("a still has no image chunk");
  return chunks;
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
