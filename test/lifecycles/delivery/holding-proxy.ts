import { request as send } from "node:http";
import { afterAll } from "vitest";
import { closed, listening, textOf } from "./stand-ins/yandex-disk.ts";

/** A proxy to the server that holds or cuts some requests. */
export type HoldingProxy = {
  url: string;
  /** Requests whose path and body match are neither forwarded nor answered. */
  hold: (pattern: RegExp) => void;
  /** Closes the connection of the next `times` matching requests without forwarding them. */
  cut: (pattern: RegExp, times: number) => void;
  /** The held requests. */
  held: string[];
};

export async function openHoldingProxy(target: string): Promise<HoldingProxy> {
  const holdPatterns: RegExp[] = [];
  const held: string[] = [];
  const cuts: { pattern: RegExp; times: number }[] = [];
  const { server, url } = await listening(async (request, response) => {
    const body = await textOf(request);
    const requestText = `${request.url ?? ""} ${body}`;
    if (holdPatterns.some((pattern) => pattern.test(requestText))) {
      held.push(requestText);
      return;
    }
    const cut = cuts.find(({ pattern, times }) => times > 0 && pattern.test(requestText));
    if (cut) {
      cut.times--;
      response.destroy();
      return;
    }
    const forwarded = send(
      target + (request.url ?? ""),
      { method: request.method, headers: request.headers },
      (answer) => {
        response.writeHead(answer.statusCode ?? 500, answer.headers);
        answer.pipe(response);
      },
    );
    forwarded.on("error", () => response.destroy());
    response.on("close", () => forwarded.destroy());
    forwarded.end(body);
  });
  afterAll(() => closed(server));
  return {
    url,
    held,
    hold: (pattern) => void holdPatterns.push(pattern),
    cut: (pattern, times) => void cuts.push({ pattern, times }),
  };
}
