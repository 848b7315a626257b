import { office } from "../../../lib/pawl.ts";

const HEARTBEAT_MS = 15_000;

/** Streams changes of tasks as server-sent events, of this process and of all others on the same database. */
export async function GET(request: Request): Promise<Response> {
  const client = await office();
  const { signal } = request;
  const stream = new ReadableStream<string>({
    start: async (controller) => {
      // Finds connections that were cut without notice.
      const heartbeat = setInterval(() => controller.enqueue(": heartbeat\n\n"), HEARTBEAT_MS);
      signal.addEventListener("abort", () => clearInterval(heartbeat));
      controller.enqueue(": connected\n\n");
      for await (const { task_id, to_status } of client.lifecycle("request").events({ signal }))
        controller.enqueue(`data: ${JSON.stringify({ task_id, to_status })}\n\n`);
      clearInterval(heartbeat);
      controller.close();
    },
  });
  const headers = { "content-type": "text/event-stream", "cache-control": "no-cache" };
  return new Response(stream.pipeThrough(new TextEncoderStream()), { headers });
}
