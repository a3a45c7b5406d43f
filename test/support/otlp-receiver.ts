import { Type, type Static } from '../../src/schema/typebox.ts';
import { parse } from '../../src/schema/parse.ts';
import { startWebServer } from './web-server.ts';

const Attributes = Type.Array(Type.Object({ key: Type.String(), value: Type.Record(Type.String(), Type.Unknown()) }));
const Span = Type.Object({
  name: Type.String(),
  traceId: Type.String(),
  spanId: Type.String(),
  parentSpanId: Type.Optional(Type.String()),
  attributes: Attributes,
  links: Type.Array(Type.Object({ traceId: Type.String(), spanId: Type.String() })),
  status: Type.Object({ code: Type.Number() }),
});
const Traces = Type.Object({
  resourceSpans: Type.Array(
    Type.Object({
      resource: Type.Object({ attributes: Attributes }),
      scopeSpans: Type.Array(Type.Object({ spans: Type.Array(Span) })),
    }),
  ),
});
const Points = Type.Object({ dataPoints: Type.Array(Type.Record(Type.String(), Type.Unknown())) });
const Metric = Type.Object({
  name: Type.String(),
  sum: Type.Optional(Points),
  gauge: Type.Optional(Points),
  histogram: Type.Optional(Points),
});
const Metrics = Type.Object({
  resourceMetrics: Type.Array(Type.Object({ scopeMetrics: Type.Array(Type.Object({ metrics: Type.Array(Metric) })) })),
});
export type ReceivedSpan = Static<typeof Span>;

/** A collector of OpenTelemetry (OTLP over HTTP, JSON) on a free port, which keeps what it is sent. */
export const startOtlpReceiver = async () => {
  const server = await startWebServer(() => ({ status: 200, body: '{}' }));
  const bodiesOf = (path: string) => server.requests.filter(({ url }) => url === path).map(({ body }) => body);
  return {
    url: server.url,
    /** All that came, as text. */
    text: () => server.requests.map(({ body }) => body).join('\n'),
    spans: (): ReceivedSpan[] =>
      bodiesOf('/v1/traces').flatMap((body) =>
        parse(Traces, JSON.parse(body), 'traces').resourceSpans.flatMap(({ scopeSpans }) =>
          scopeSpans.flatMap(({ spans }) => spans),
        ),
      ),
    metrics: () =>
      bodiesOf('/v1/metrics').flatMap((body) =>
        parse(Metrics, JSON.parse(body), 'metrics').resourceMetrics.flatMap(({ scopeMetrics }) =>
          scopeMetrics.flatMap(({ metrics }) => metrics),
        ),
      ),
    close: () => server.close(),
  };
};
export type OtlpReceiver = Awaited<ReturnType<typeof startOtlpReceiver>>;
