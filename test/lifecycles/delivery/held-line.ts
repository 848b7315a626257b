import { request as send } from "node:http";
import { afterAll } from "vitest";
import { closed, listening, textOf } from "./stand-ins/yandex-disk.ts";

/** A way to the server on which some of what is said gets stuck. */
export type HeldLine = {
  url: string;
  /** Requests whose path and body match are not passed on, and not answered. */
  hold: (words: RegExp) => void;
  /** So many requests that match are cut off, unheard. */
  cut: (words: RegExp, times: number) => void;
  /** What got stuck. */
  held: string[];
};

export async function openHeldLine(target: string): Promise<HeldLine> {
  const holding: RegExp[] = [];
  const held: string[] = [];
  const cutting: { words: RegExp; times: number }[] = [];
  const { server, url } = await listening(async (request, response) => {
    const body = await textOf(request);
    const said = `${request.url ?? ""} ${body}`;
    if (holding.some((words) => words.test(said))) {
      held.push(said);
      return;
    }
    const cut = cutting.find(({ words, times }) => times > 0 && words.test(said));
    if (cut) {
      cut.times--;
      response.destroy();
      return;
    }
    const passed = send(
      target + (request.url ?? ""),
      { method: request.method, headers: request.headers },
      (answer) => {
        response.writeHead(answer.statusCode ?? 500, answer.headers);
        answer.pipe(response);
      },
    );
    passed.on("error", () => response.destroy());
    response.on("close", () => passed.destroy());
    passed.end(body);
  });
  afterAll(() => closed(server));
  return {
    url,
    held,
    hold: (words) => void holding.push(words),
    cut: (words, times) => void cutting.push({ words, times }),
  };
}
