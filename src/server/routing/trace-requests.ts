import { context, propagation, SpanKind, SpanStatusCode, trace } from "@opentelemetry/api";
import type { Span, TracerProvider } from "@opentelemetry/api";
import type { FastifyInstance, FastifyRequest } from "fastify";

/**
 * Records a span for each request, as a child of the caller's span if it sends `traceparent`. A tracing SDK that is loaded before Pawl
 * (`node --import`) exports them, with the spans that the database driver adds; without an SDK there are no spans.
 */
export function traceRequests(app: FastifyInstance, version: string): void {
  if (!isTracing()) return;
  const tracer = trace.getTracer("pawl", version);
  const spans = new WeakMap<FastifyRequest, Span>();

  app.addHook("onRequest", (request, _reply, done) => {
    const { method, headers, routeOptions } = request;
    const route = routeOptions.url ?? "";
    const above = propagation.extract(context.active(), headers);
    const attributes = { "http.request.method": method, "http.route": route, "pawl.request_id": request.id };
    const span = tracer.startSpan(`${method} ${route}`.trim(), { kind: SpanKind.SERVER, attributes }, above);
    if (!span.isRecording()) {
      done();
      return;
    }
    spans.set(request, span);
    context.with(trace.setSpan(above, span), done);
  });
  app.addHook("onResponse", (request, { statusCode }, done) => {
    const span = spans.get(request);
    if (span) {
      span.setAttribute("http.response.status_code", statusCode);
      if (request.caller) span.setAttribute("pawl.org", request.caller.org_id);
      if (statusCode >= 500) span.setStatus({ code: SpanStatusCode.ERROR });
      span.end();
    }
    done();
  });
}

/** Returns whether an SDK is registered: without one the API's own provider has no tracer to delegate to. */
function isTracing(): boolean {
  const provider: TracerProvider & { getDelegateTracer?: (name: string) => unknown } =
    trace.getTracerProvider();
  return provider.getDelegateTracer === undefined || provider.getDelegateTracer("pawl") !== undefined;
}
