import { expect } from 'chai';
import type { GroupBatch } from '../../src/event-store/port.ts';
import { streamOfThread } from '../../src/lib/thread-stream.ts';
import { LIMITS } from '../../src/projector-threads/group-reader.ts';

describe('Events that are sorted in a temporary file', () => {
  it('come group after group in a thread whose heap is small, however long they are', async () => {
    const batches = streamOfThread<GroupBatch>(
      new URL('./spilling-thread.js', import.meta.url),
      { resourceLimits: LIMITS },
      new AbortController().signal,
    );
    const indexes: number[] = [];
    for await (const { texts } of batches)
      for (const text of texts)
        for (const { index, long } of JSON.parse(text) as { index: number; long: string }[]) {
          expect(long).to.have.lengthOf(index && 1_000_000);
          indexes.push(index);
        }
    const group = (from: number, to: number) =>
      Array.from({ length: to - from + 1 }, (_, count) => to - count);
    expect(indexes).to.deep.equal([...group(0, 59), ...group(60, 119), ...group(120, 150)]);
  });
});
