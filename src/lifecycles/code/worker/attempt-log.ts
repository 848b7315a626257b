import { constants } from "node:fs";
import { mkdir, open } from "node:fs/promises";
import type { FileHandle } from "node:fs/promises";
import { dirname } from "node:path";
import { Writable } from "node:stream";

/**
 * Appends the output of an attempt to a file and never fails. Output that cannot be written (full disk) is dropped; the
 * number of dropped bytes is reported in the file as soon as writing works again.
 */
export function openAttemptLog(path: string): Writable {
  const log = new AttemptLog(path);
  return new Writable({
    write: (piece: Buffer, _, done) => {
      void log.append(piece).then(() => {
        done();
      });
    },
    final: (done) => {
      void log.close().then(() => {
        done();
      });
    },
  });
}

class AttemptLog {
  private readonly path: string;
  private file: FileHandle | null = null;
  private dropped = 0;
  private reason = "";

  constructor(path: string) {
    this.path = path;
  }

  async append(piece: Buffer): Promise<void> {
    let rest = piece;
    try {
      this.file ??= await this.open();
      await this.reportDropped(this.file);
      while (rest.length > 0) rest = rest.subarray((await this.file.write(rest)).bytesWritten);
    } catch (error) {
      this.dropped += rest.length;
      this.reason = (error as Error).message;
    }
  }

  async close(): Promise<void> {
    await this.append(Buffer.alloc(0));
    await this.file?.close().catch(() => undefined);
  }

  private async open(): Promise<FileHandle> {
    await mkdir(dirname(this.path), { recursive: true, mode: 0o700 });
    const { O_APPEND, O_CREAT, O_NOFOLLOW, O_WRONLY } = constants;
    return open(this.path, O_WRONLY | O_APPEND | O_CREAT | O_NOFOLLOW, 0o600);
  }

  private async reportDropped(file: FileHandle): Promise<void> {
    if (this.dropped === 0) return;
    await file.appendFile(`\n[pawl: ${this.dropped} bytes of output were dropped: ${this.reason}]\n`);
    this.dropped = 0;
  }
}
