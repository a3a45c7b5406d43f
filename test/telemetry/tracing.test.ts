import { expect } from 'chai';
import { createBatchTrace, withoutSpan } from '../../src/telemetry/batch-trace.ts';
import { currentTraceparent, switchTracing } from '../../src/telemetry/tracing.ts';

const traceparent = '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01';

describe('Tracing, while it is on', () => {
  before(() => switchTracing(true));
  after(() => switchTracing(false));

  it('has no traceparent for what runs in no span', () => {
    expect(currentTraceparent()).to.equal(undefined);
  });

  it('gives a batch a span for the one event that a trace led to, whichever came before it', async () => {
    const batch = createBatchTrace('lists', 'lists@1.1');
    batch.note(() => ({ traceparent: 'of another form' }));
    batch.note(() => ({}));
    batch.note(() => ({ traceparent }));
    const inBatch = batch.take();
    expect(inBatch).to.not.equal(withoutSpan);
    expect(await inBatch(() => Promise.resolve('committed'))).to.equal('committed');
  });

  it('gives none to a batch of events that no trace led to', () => {
    const batch = createBatchTrace('lists', 'lists@1.1');
    batch.note(() => ({}));
    batch.note(() => undefined);
    expect(batch.take()).to.equal(withoutSpan);
  });
});
