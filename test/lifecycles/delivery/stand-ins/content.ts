import { createHash } from "node:crypto";

/** The contents of a file: given bytes, or bytes generated on reading. */
export type Content = { size: number; read: (from: number) => Generator<Buffer> };

const BLOCK_BYTES = 256 * 1024;

export function bytes(data: Buffer | string): Content {
  const whole = Buffer.from(data);
  return {
    size: whole.length,
    read: function* (from) {
      if (from < whole.length) yield whole.subarray(from);
    },
  };
}

/** Generates the same bytes for the same seed. Blocks differ, so the hash reveals a missing or repeated block. */
export function generated(size: number, seed: number): Content {
  return {
    size,
    read: function* (from) {
      const pattern = patternOf(seed);
      for (let block = Math.floor(from / BLOCK_BYTES); block * BLOCK_BYTES < size; block++) {
        const start = block * BLOCK_BYTES;
        const whole = Buffer.from(pattern.subarray(0, Math.min(BLOCK_BYTES, size - start)));
        if (whole.length >= 4) whole.writeUInt32LE(block, 0);
        yield from > start ? whole.subarray(from - start) : whole;
      }
    },
  };
}

/** Made for each read, so that thousands of files need no memory. */
function patternOf(seed: number): Buffer {
  const pattern = Buffer.alloc(BLOCK_BYTES);
  for (let at = 0, state = seed | 1; at < BLOCK_BYTES; at += 4) {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) | 0;
    pattern.writeInt32LE(state, at);
  }
  return pattern;
}

export function sha256Of({ read }: Content): string {
  const hash = createHash("sha256");
  for (const piece of read(0)) hash.update(piece);
  return hash.digest("hex");
}
