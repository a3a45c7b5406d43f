import { join } from 'node:path';
import { expect } from 'chai';
import { openEmbeddedEventStore } from '../../src/event-store/embedded/event-store.ts';
import type { GroupBatch } from '../../src/event-store/port.ts';
import { streamFromNewWorker } from '../../src/lib/worker-client.ts';
import { parseGroupEvents } from '../../src/projector/apply-groups.ts';
import { createThreadedGroupReader, GROUP_READER_LIMITS } from '../../src/projector-threads/group-applier.ts';
import { writeTried } from '../support/foreign-events.ts';
import { directoryForEach } from '../support/files.ts';

interface SpillTask {
  readonly input: null;
  readonly item: GroupBatch;
}

describe('In a thread whose heap is small, however long events are,', () => {
  const directory = directoryForEach('small-heap-');

  it('events that are sorted in a temporary file come group after group', async () => {
    const batches = streamFromNewWorker<SpillTask>(new URL('./spilling-thread.js', import.meta.url), null, {
      resourceLimits: GROUP_READER_LIMITS,
    });
    const indexes: number[] = [];
    for await (const { texts } of batches)
      for (const text of texts)
        for (const { index, long } of JSON.parse(text) as { index: number; long: string }[]) {
          expect(long).to.have.lengthOf(index && 1_000_000);
          indexes.push(index);
        }
    const group = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, count) => to - count);
    expect(indexes).to.deep.equal([...group(0, 59), ...group(60, 119), ...group(120, 150)]);
  });

  it('the groups in the file of a log are read', async () => {
    const length = 1_000_000;
    const file = join(directory(), 'events.db');
    await (await openEmbeddedEventStore(file)).close();
    const long = Array.from({ length: 150 }, (_, index) => `{"of":"${index % 50}","long":"${'x'.repeat(length)}"}`);
    writeTried(file, [...long, '{"of":"50","long":""}']);
    const all = { by: 'of', types: ['Tried'], upTo: '0000000000000151', batchSize: 250 };
    const read = createThreadedGroupReader({ kind: 'sqlite', path: file })(all, new AbortController().signal);
    let count = 0;
    for await (const batch of read)
      for (const { id, data } of parseGroupEvents(batch).flat()) {
        expect(data['long'], id).to.have.lengthOf(id === 'e150' ? 0 : length);
        count++;
      }
    expect(count).to.equal(151);
  });
});
