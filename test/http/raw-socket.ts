import { connect } from "node:net";
import type { Socket } from "node:net";

/** What came over a connection until it was closed, or until nothing more was waited for. */
export type Overheard = { text: string; closed: boolean };

export function openSocket(address: string): Socket {
  const { hostname, port } = new URL(address);
  const socket = connect(Number(port), hostname);
  // Whoever is cut in the middle of sending hears of it here; what was said before counts.
  socket.on("error", () => undefined);
  return socket;
}

/** Says something as it is, with no client in between, and listens until the server hangs up. */
export async function say(
  address: string,
  sent: string | Buffer | readonly (string | Buffer)[],
  { waitMs = 10_000 }: { waitMs?: number } = {},
): Promise<Overheard> {
  const socket = openSocket(address);
  let text = "";
  socket.setEncoding("latin1").on("data", (part: string) => (text += part));
  for (const part of typeof sent === "string" || Buffer.isBuffer(sent) ? [sent] : sent) socket.write(part);
  return new Promise((resolve) => {
    const over = (closed: boolean) => () => {
      clearTimeout(timer);
      socket.destroy();
      resolve({ text, closed });
    };
    const timer = setTimeout(over(false), waitMs);
    socket.once("close", over(true));
  });
}

/** The answer that stands first, in one word: `422 VALIDATION_ERROR`, `200`, or `cut` where there was none. */
export function wordOfRaw({ text }: Overheard): string {
  const [, status] = /^HTTP\/1\.1 (\d{3}) /.exec(text) ?? [];
  if (status === undefined) return "cut";
  const [, code] = /"code":"(\w+)"/.exec(text) ?? [];
  return code === undefined ? status : `${status} ${code}`;
}
