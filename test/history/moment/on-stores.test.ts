import { expect } from 'chai';
import fc from 'fast-check';
import { deciders } from '../../../src/domain/index.ts';
import { openEventStoreDb } from '../../../src/event-store/eventstoredb/event-store.ts';
import { START_POSITION, type EventStore } from '../../../src/event-store/port.ts';
import { partitionAnswerAt } from '../../../src/history/moment/partition-at.ts';
import { diffPartitionBetweenMoments } from '../../../src/history/moment/diff.ts';
import { explainRow } from '../../../src/history/moment/explain.ts';
import { findMomentPair, createMomentFinder } from '../../../src/history/moment/moment.ts';
import { noIndex } from '../../../src/history/moment/entity-index.ts';
import { noMask } from '../../../src/history/moment/mask.ts';
import { choices, histories, interleave, type PlacedEvent } from '../../support/history.ts';
import { newEmbeddedLog, newMemoryLog, type LogStore } from '../../support/log-stores.ts';
import { newPrefix, withServer } from '../../support/servers.ts';
import { documentIdOf, everyPartition } from './stage.ts';

const [events = []] = fc
  .sample(
    fc.tuple(histories, choices).map(([history, order]) => interleave(history, order)),
    { numRuns: 5, seed: 5 },
  )
  .sort((a, b) => b.length - a.length);

/** UUIDs, which servers require, instead of the ids of the histories. */
const storable = (event: PlacedEvent, number: number) => {
  const { stream: _stream, revision: _revision, ...data } = event;
  return { ...data, id: `00000000-0000-4000-8000-${String(number).padStart(12, '0')}` };
};

/** All that can be asked of a log with the events, as text, with places in the log for positions. */
const answersOn = async ({ store, remove }: LogStore): Promise<string> => {
  try {
    for (const [number, event] of events.entries())
      await store.append({
        stream: event.stream,
        expectedRevision: event.revision - 1,
        events: [storable(event, number)],
      });
    return await answersOf(store);
  } finally {
    await remove();
  }
};

const answersOf = async (log: EventStore): Promise<string> => {
  const source = { log, index: noIndex };
  const positions = (await log.readAll(START_POSITION, 10_000)).map(({ position }) => position);
  const recordedAt = events[Math.floor(events.length / 2)]?.metadata['recordedAt'];
  const time = typeof recordedAt === 'string' ? recordedAt : '';
  const position = positions[Math.floor(positions.length / 3)] ?? START_POSITION;
  const { from, to } = await findMomentPair(createMomentFinder(log), { from: position });
  if (!from) throw new Error('There is no earlier moment');
  const middle = await createMomentFinder(log)({ at: time });
  const answers: unknown[] = [from, to, middle];
  for (const shown of everyPartition) {
    const { readModel, partition } = shown;
    for (const moment of [from, middle]) {
      answers.push(await partitionAnswerAt(source, readModel, partition, moment, noMask));
      answers.push(await diffPartitionBetweenMoments(source, readModel, partition, { from: moment, to }, noMask));
    }
    for (const row of (await partitionAnswerAt(source, readModel, partition, to, noMask)).rows)
      answers.push(await explainRow(source, readModel, documentIdOf(shown, row), to, noMask));
  }
  return positions.reduce(
    (text, position, place) => text.replaceAll(JSON.stringify(position), `"#${place}"`),
    JSON.stringify(answers),
  );
};

describe('What is shown as of a moment', () => {
  let expected: string;
  before(async () => {
    expected = await answersOn(await newMemoryLog());
  });

  it('is made from a history that changes rows', () => {
    for (const kind of ['added', 'gone', 'changed']) expect(expected).to.include(`"kind":"${kind}"`);
  });

  it('is the same on files', async () => {
    expect(await answersOn(await newEmbeddedLog())).to.equal(expected);
  });

  withServer('What is shown as of a moment on EventStoreDB', 'TEST_EVENTSTORE_URL', (url) => {
    it('is the same on EventStoreDB', async () => {
      const categories = deciders.map(({ category }) => category);
      const store = openEventStoreDb({ url, prefix: newPrefix(), categories });
      expect(await answersOn({ store, remove: () => store.close() })).to.equal(expected);
    });
  });
});
