/** A part of an incoming form: its name, its file name if it is a file, and its bytes. */
export type Part = { name: string; filename: string | null; bytes: AsyncGenerator<Buffer> };

/** Reads a form as a stream: each part must be read to its end before the next one. */
export async function* partsOf(body: AsyncIterable<Buffer>, contentType: string): AsyncGenerator<Part> {
  const boundary = /boundary="?([^";]+)"?/.exec(contentType)?.[1];
  if (boundary === undefined) throw new Error("the form has no boundary");
  const form = new Form(body, Buffer.from(`\r\n--${boundary}`));
  await form.skip(Buffer.from(`--${boundary}\r\n`));
  for (;;) {
    const head = (await form.upTo(Buffer.from("\r\n\r\n"))).toString("utf8");
    const name = /[; ]name="?([^";\r]+)"?/i.exec(head)?.[1] ?? "";
    const filename = /filename="?([^";\r\n]+)"?/i.exec(head)?.[1] ?? null;
    yield { name, filename, bytes: form.bytes() };
    const next = await form.take(2);
    if (next.toString() === "--") return;
  }
}

class Form {
  private rest: Buffer = Buffer.alloc(0);
  private readonly source: AsyncIterator<Buffer>;
  private readonly end: Buffer;

  constructor(body: AsyncIterable<Buffer>, end: Buffer) {
    this.source = body[Symbol.asyncIterator]();
    this.end = end;
  }

  async *bytes(): AsyncGenerator<Buffer> {
    for (;;) {
      const at = this.rest.indexOf(this.end);
      if (at >= 0) {
        if (at > 0) yield this.rest.subarray(0, at);
        this.rest = this.rest.subarray(at + this.end.length);
        return;
      }
      // The boundary may be split over two chunks.
      const sure = this.rest.length - this.end.length;
      if (sure > 0) {
        yield this.rest.subarray(0, sure);
        this.rest = this.rest.subarray(sure);
      }
      await this.more();
    }
  }

  async upTo(mark: Buffer): Promise<Buffer> {
    for (;;) {
      const at = this.rest.indexOf(mark);
      if (at >= 0) return this.cut(at, mark.length);
      await this.more();
    }
  }

  async take(count: number): Promise<Buffer> {
    while (this.rest.length < count) await this.more();
    return this.cut(count, 0);
  }

  async skip(mark: Buffer): Promise<void> {
    await this.upTo(mark);
  }

  private cut(length: number, behind: number): Buffer {
    const piece = this.rest.subarray(0, length);
    this.rest = this.rest.subarray(length + behind);
    return piece;
  }

  private async more(): Promise<void> {
    const next = await this.source.next();
    if (next.done) throw new Error("the form ends too early");
    this.rest = this.rest.length === 0 ? next.value : Buffer.concat([this.rest, next.value]);
  }
}
