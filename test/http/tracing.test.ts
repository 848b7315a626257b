import { context, propagation, ROOT_CONTEXT, trace } from "@opentelemetry/api";
import type { Span, Tracer } from "@opentelemetry/api";
import { afterAll, expect, test } from "vitest";
import { openFrontDesk } from "./front-desk.ts";

type Told = {
  name: string;
  attributes: Record<string, unknown>;
  status: number;
  above: unknown;
  ended: boolean;
};
const told: Told[] = [];

// A tracing SDK in a few lines: what a real one registers, kept in a list.
const tracer = {
  startSpan: (name: string, { attributes = {} } = {}, above = ROOT_CONTEXT) => {
    const span: Told = {
      name,
      attributes: { ...attributes },
      status: 0,
      above: above.getValue(PARENT),
      ended: false,
    };
    told.push(span);
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

const desk = await openFrontDesk();

test("where spans are collected each request is one, below its caller's, named by its route", async () => {
  told.length = 0;
  await desk.ask("GET /api/members/nobody", { headers: { traceparent: "00-abc-def-01" } });
  await expect.poll(() => told[0]?.ended).toBe(true);
  expect(told).toMatchObject([
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
