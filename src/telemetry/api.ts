/**
 * OpenTelemetry's interface. The build puts its many modules into this file's one, as it does for TypeBox; what it
 * registers is found by the copies of the SDK and of prom-client too.
 */
export {
  ROOT_CONTEXT,
  SpanKind,
  SpanStatusCode,
  TraceFlags,
  ValueType,
  context,
  isSpanContextValid,
  propagation,
  trace,
  type Attributes,
  type Context,
  type HrTime,
  type Link,
  type Span,
  type SpanContext,
  type SpanOptions,
} from '@opentelemetry/api';
