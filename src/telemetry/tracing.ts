import {
  ROOT_CONTEXT,
  SpanStatusCode,
  TraceFlags,
  context,
  isSpanContextValid,
  trace,
  type Context,
  type Link,
  type Span,
  type SpanContext,
  type SpanOptions,
} from './api.ts';
import { DomainError } from '../errors/domain-error.ts';

const tracer = trace.getTracer('hiring');
const state = { isOn: false };

/** Switches tracing of this thread. Off, everything below costs only a look at this flag. */
export const switchTracing = (isOn: boolean): void => {
  state.isOn = isOn;
};
export const isTracing = (): boolean => state.isOn;

/** Names the kind of a failure: its message may hold what only the application log may. */
const noteFailure = (span: Span, error: unknown): void => {
  if (error instanceof DomainError) {
    span.setAttribute('hiring.refusal', error.reason);
    return;
  }
  const name = error instanceof Error ? error.name : 'unknown';
  span.setAttribute('error.type', name);
  span.setStatus({ code: SpanStatusCode.ERROR });
};

/** Runs an act within a span, which ends with it. A refusal is no error of the span. */
export const inSpan = async <T>(
  name: string,
  options: SpanOptions,
  act: (span: Span | undefined) => Promise<T>,
  parent: Context = context.active(),
): Promise<T> => {
  if (!state.isOn) return act(undefined);
  const span = tracer.startSpan(name, options, parent);
  try {
    return await context.with(trace.setSpan(parent, span), () => act(span));
  } catch (error) {
    noteFailure(span, error);
    throw error;
  } finally {
    span.end();
  }
};

/** The span that runs now, as events keep it (W3C Trace Context, 3.2); undefined unless it is recorded. */
export const currentTraceparent = (): string | undefined => {
  if (!state.isOn) return undefined;
  const found = trace.getActiveSpan()?.spanContext();
  if (!found || !isSpanContextValid(found) || (found.traceFlags & TraceFlags.SAMPLED) === 0) return undefined;
  return `00-${found.traceId}-${found.spanId}-01`;
};

/** The link to a span that an event tells of; undefined for a text of another form. */
export const linkOf = (traceparent: unknown): Link | undefined => {
  if (typeof traceparent !== 'string') return undefined;
  const [, traceId = '', spanId = ''] = /^00-([0-9a-f]{32})-([0-9a-f]{16})-01$/.exec(traceparent) ?? [];
  const found: SpanContext = { traceId, spanId, traceFlags: TraceFlags.SAMPLED, isRemote: true };
  return isSpanContextValid(found) ? { context: found } : undefined;
};

/** A context whose spans belong to a linked trace. */
export const contextOfLink = ({ context: found }: Link): Context => trace.setSpanContext(ROOT_CONTEXT, found);
