import { expect } from 'chai';
import { bodies, claims, ids } from '../support/examples.ts';
import { startOtlpReceiver, type OtlpReceiver, type ReceivedSpan } from '../support/otlp-receiver.ts';
import { startService, type Service } from '../support/service.ts';
import { putFacts } from '../http/stories.ts';

const CLIENT = { traceId: '4bf92f3577b34da6a3ce929d0e0e4736', spanId: '00f067aa0ba902b7' };
const traceparent = `00-${CLIENT.traceId}-${CLIENT.spanId}-01`;
const LATER = { traceId: '0af7651916cd43dd8448eb211c80319c', spanId: 'b7ad6b7169203331' };

const START_OF_EXPORT = { OTEL_BSP_SCHEDULE_DELAY: '50', OTEL_METRIC_EXPORT_INTERVAL: '200' };

describe('Traces', () => {
  let collector: OtlpReceiver;
  let spans: readonly ReceivedSpan[];
  let events: readonly { readonly type: string; readonly metadata: object }[];

  const named = (name: string): ReceivedSpan => {
    const span = spans.find((each) => each.name === name && each.traceId === CLIENT.traceId);
    if (!span) throw new Error(`No span ${name} in ${spans.map((each) => each.name).join(', ')}`);
    return span;
  };
  const attribute = ({ attributes }: ReceivedSpan, key: string): unknown => {
    const { value } = attributes.find((each) => each.key === key) ?? {};
    return value && Object.values(value)[0];
  };
  const spanOf = ({ traceId, spanId }: Pick<ReceivedSpan, 'traceId' | 'spanId'>) => ({ traceId, spanId });

  before(async () => {
    collector = await startOtlpReceiver();
    const service: Service = await startService({
      telemetry: { OTEL_EXPORTER_OTLP_ENDPOINT: collector.url, ...START_OF_EXPORT },
    });
    await putFacts(service);
    const headers = { traceparent };
    const body = { postingId: ids.posting };
    await service.send('POST', '/professionals/postings/save', { as: 'professional', headers, body });
    await service.send('GET', '/postings/saved', { as: 'professional', headers });
    const phone = { phoneNumber: '+15125550188' };
    await service.send('POST', '/users/phone/codes', { as: 'professional', headers, body: phone });
    await service.send('GET', '/postings/saved', { as: 'professional', key: null, headers });
    // Given a write that its client has not sampled, applied before the next one
    const unsampled = { traceparent: traceparent.replace(/01$/, '00') };
    await service.send('POST', '/professionals/postings/unsave', { as: 'professional', headers: unsampled, body });
    await service.send('GET', '/postings/saved', { as: 'professional' });
    const later = { traceparent: `00-${LATER.traceId}-${LATER.spanId}-01` };
    await service.send('POST', '/professionals/postings/save', { as: 'professional', headers: later, body });
    events = await service.app.eventStore.readAll('0', 100);
    // Sends what waits.
    await service.stop();
    spans = collector.spans();
  });
  after(() => collector.close());

  it("show a write within the client's trace: request, command, append", () => {
    const request = named('POST /professionals/postings/save');
    expect(request.parentSpanId).to.equal(CLIENT.spanId);
    expect(attribute(request, 'http.response.status_code')).to.be.oneOf([200, '200']);
    const command = named('command savePosting');
    expect(command.parentSpanId).to.equal(request.spanId);
    const append = spans.find(({ name, parentSpanId }) => name === 'append' && parentSpanId === command.spanId);
    expect(append && attribute(append, 'hiring.append')).to.equal('appended');
  });

  it("are kept in the event's metadata, and lead to the batch that applied it", () => {
    const command = named('command savePosting');
    const saved = events.find(({ type }) => type === 'PostingSaved');
    expect(saved?.metadata).to.include({ traceparent: `00-${command.traceId}-${command.spanId}-01` });
    // The batch may have begun with the event of another write, whose trace it is part of then.
    const batches = spans.filter(({ name }) => name === 'apply saved-postings');
    const links = batches.flatMap((batch) => batch.links.map(spanOf));
    expect(links).to.deep.include(spanOf(command));
  });

  it('count the events of one batch, and none that an earlier batch has applied', () => {
    const batch = spans.find(({ name, traceId }) => name === 'apply saved-postings' && traceId === LATER.traceId);
    expect(batch && Number(attribute(batch, 'hiring.events'))).to.equal(1);
  });

  it('link the read that waited to the write', () => {
    const wait = named('wait for read models');
    expect(wait.parentSpanId).to.equal(named('GET /postings/saved').spanId);
    expect(wait.links.map(spanOf)).to.deep.equal([spanOf(named('command savePosting'))]);
  });

  it('show the delivery of a code, by its channel alone', () => {
    const delivery = named('deliver code');
    expect(attribute(delivery, 'hiring.channel')).to.equal('sms');
    expect(collector.text()).not.to.include('5550188');
  });

  it('begin anew for a caller without an API key, which answers with no error', () => {
    const refused = spans.filter((span) => String(attribute(span, 'http.response.status_code')) === '401');
    expect(refused).to.have.length(1);
    expect(refused[0]?.traceId).not.to.equal(CLIENT.traceId);
    expect(refused[0]?.status.code).to.equal(0);
  });

  it('and metrics hold neither names, numbers, mail addresses nor tokens', () => {
    const { firstName, lastName, email, phone } = bodies.professional;
    for (const personal of [firstName, lastName, email, phone.slice(1), claims.professional.sub, 'eyJ'])
      expect(collector.text(), personal).not.to.include(`"${personal}`);
  });

  it('come with the metrics of /metrics', () => {
    const found = collector.metrics();
    expect(found.map(({ name }) => name)).to.include.members([
      'http_request_duration_seconds',
      'commands_total',
      'process_cpu_seconds_total',
    ]);
    const requests = found.findLast(({ name }) => name === 'http_request_duration_seconds');
    expect(requests?.histogram?.dataPoints).not.to.be.empty;
  });
});

describe('Without telemetry', () => {
  it('events keep no trace, whatever the client sends', async () => {
    const service = await startService();
    try {
      await service.send('PUT', `/internal/offices/${ids.office}`, { headers: { traceparent }, body: bodies.office });
      const [event] = await service.app.eventStore.readAll('0', 1);
      expect(event?.metadata).to.have.property('requestId');
      expect(event?.metadata).not.to.have.property('traceparent');
    } finally {
      await service.stop();
    }
  });
});

describe('A collector that does not answer', () => {
  it('fails no request', async () => {
    const service = await startService({
      telemetry: { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:1', ...START_OF_EXPORT },
    });
    const { status } = await service.send('PUT', `/internal/offices/${ids.office}`, { body: bodies.office });
    expect(status).to.equal(204);
    await service.stop();
  });
});
