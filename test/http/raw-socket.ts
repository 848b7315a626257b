import { connect } from "node:net";
import type { Socket } from "node:net";

/** The text received until the connection closed or the wait ended. */
export type RawReply = { text: string; closed: boolean };

export function openSocket(address: string): Socket {
  const { hostname, port } = new URL(address);
  const socket = connect(Number(port), hostname);
  // Ignore errors of a cut connection: the text received so far counts.
  socket.on("error", () => undefined);
  return socket;
}

/** Sends raw bytes without an HTTP client, and reads until the server closes the connection. */
export async function sendRaw(
  address: string,
  sent: string | Buffer | readonly (string | Buffer)[],
  { waitMs = 10_000 }: { waitMs?: number } = {},
): Promise<RawReply> {
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

/** Summarizes the first answer: `422 VALIDATION_ERROR`, `200`, or `cut` if there was none. */
export function rawOutcomeOf({ text }: RawReply): string {
  const [, status] = /^HTTP\/1\.1 (\d{3}) /.exec(text) ?? [];
  if (status === undefined) return "cut";
  const [, code] = /"code":"(\w+)"/.exec(text) ?? [];
  return code === undefined ? status : `${status} ${code}`;
}
