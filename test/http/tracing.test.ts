import { context, propagation, ROOT_CONTEXT, trace } from "@opentelemetry/api";
import type { Span, Tracer } from "@opentelemetry/api";
import { afterAll, expect, test } from "vitest";
import { startTestServer } from "./test-server.ts";

type RecordedSpan = {
  name: string;
  attributes: Record<string, unknown>;
  status: number;
  above: unknown;
  ended: boolean;
};
const spans: RecordedSpan[] = [];

// A minimal tracing SDK that collects spans in a list.
const tracer = {
  startSpan: (name: string, { attributes = {} } = {}, above = ROOT_CONTEXT) => {
    const span: RecordedSpan = {
      name,
      attributes: { ...attributes },
      status: 0,
      above: above.getValue(PARENT),
      ended: false,
    };
    spans.push(span);
    return {
      isRecording: () => true,
      setAttribute: (key: string, value: unknown) => void (span.attributes[key] = value),
      setStatus: ({ code }: { code: number }) => void (span.status = code),
      end: () => void (span.ended = true),
    } as unknown as Span;
  },
} as unknown as Tracer;
const PARENT = Symbol("parent");
trace.setGlobalTracerProvider({ getTracer: () => tracer });
propagation.setGlobalPropagator({
  inject: () => undefined,
  extract: (above, carrier: Record<string, unknown>) => above.setValue(PARENT, carrier.traceparent),
  fields: () => ["traceparent"],
});
afterAll(() => {
  trace.disable();
  propagation.disable();
  context.disable();
});

const server = await startTestServer();

test("with a tracing SDK each request has a span, named by its route, below the caller's span", async () => {
  spans.length = 0;
  await server.ask("GET /api/members/nobody", { headers: { traceparent: "00-abc-def-01" } });
  await expect.poll(() => spans[0]?.ended).toBe(true);
  expect(spans).toMatchObject([
    {
      name: "GET /api/members/:id",
      above: "00-abc-def-01",
      attributes: {
        "http.request.method": "GET",
        "http.route": "/api/members/:id",
        "http.response.status_code": 404,
        "pawl.org": "main",
      },
      status: 0,
    },
  ]);
});
