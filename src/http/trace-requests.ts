import { ROOT_CONTEXT, SpanKind, SpanStatusCode, propagation } from '../telemetry/api.ts';
import { inSpan } from '../telemetry/tracing.ts';
import type { PathScrubber } from './log-and-measure-requests.ts';
import type { Middleware } from './edge/context.ts';

/**
 * Traces a request, by the semantic conventions for HTTP servers. A `traceparent` counts from a caller with an API key
 * alone: others could have everything they send recorded. Nothing that a client has chosen is an attribute, but the
 * request id, which the application log has too.
 */
export const traceRequests =
  (loggedPath: PathScrubber): Middleware =>
  (ctx, next) => {
    const { method, state } = ctx;
    const parent = state.key ? propagation.extract(ROOT_CONTEXT, ctx.req.headers) : ROOT_CONTEXT;
    const attributes = { 'http.request.method': method, 'hiring.request_id': state.requestId };
    return inSpan(
      method,
      { kind: SpanKind.SERVER, attributes },
      async (span) => {
        await next();
        const { operation } = state;
        const route = operation ? loggedPath(ctx) : undefined;
        if (route !== undefined) span?.updateName(`${method} ${route}`).setAttribute('http.route', route);
        span?.setAttribute('http.response.status_code', ctx.status);
        if (ctx.status >= 500) span?.setStatus({ code: SpanStatusCode.ERROR });
      },
      parent,
    );
  };
