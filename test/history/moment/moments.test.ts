import { expect } from 'chai';
import fc from 'fast-check';
import { START_POSITION, type RecordedEvent } from '../../../src/event-store/port.ts';
import { countEventsByType } from '../../../src/event-store/type-counts.ts';
import { readEntityStory } from '../../../src/history/moment/story.ts';
import { searchEvents } from '../../../src/history/moment/search.ts';
import { readModelRowsAt } from '../../../src/history/moment/all-rows.ts';
import { diffPartitionBetweenMoments } from '../../../src/history/moment/diff.ts';
import { noIndex } from '../../../src/history/moment/entity-index.ts';
import { explainRow } from '../../../src/history/moment/explain.ts';
import { noMask } from '../../../src/history/moment/mask.ts';
import {
  createMomentFilter,
  findMomentPair,
  createMomentFinder,
  logRangeBetween,
} from '../../../src/history/moment/moment.ts';
import type { JsonObject } from '../../../src/schema/json.ts';
import { logOf } from '../../projections/applying.ts';
import { rejectionOf } from '../../support/refusal-of.ts';
import { documentIdOf, everyPartition, logsWithMoments, logWith, momentAfter, rowsById } from './stage.ts';

const timeOf = ({ metadata: { recordedAt } }: RecordedEvent): string =>
  typeof recordedAt === 'string' ? recordedAt : '';
const later = (event: RecordedEvent, milliseconds: number): RecordedEvent => ({
  ...event,
  metadata: { ...event.metadata, recordedAt: new Date(Date.parse(timeOf(event)) + milliseconds).toISOString() },
});

/** Of each stream the events before the first that was recorded after the time. */
const recordedBy = (events: readonly RecordedEvent[], time: string): readonly RecordedEvent[] => {
  const latest = new Map<string, string>();
  return events.filter((event) => {
    const before = latest.get(event.stream) ?? '';
    const at = timeOf(event) > before ? timeOf(event) : before;
    latest.set(event.stream, at);
    return at <= time;
  });
};

const clock = fc.integer({ min: -5_000, max: 5_000 });
const clocks = fc.array(clock, { minLength: 1, maxLength: 7 });

/** A log with two times, the earlier one first. */
const withTimes = (events: readonly RecordedEvent[], first: number, last: number) => {
  const times = events.map(timeOf).sort();
  const timeAt = (count: number) => times[Math.max(0, count - 1)] ?? '2026-01-01T00:00:00.000Z';
  return { events, earlier: timeAt(first), time: timeAt(last) };
};

/** Each event is recorded by a clock that may be behind that of the one before, also in its own stream. */
const ofClocksThatRunBack = fc.tuple(logsWithMoments, clocks).map(([{ events, first, last, ...shown }, offsets]) => ({
  ...withTimes(
    events.map((event, at) => later(event, offsets[at % offsets.length] ?? 0)),
    first,
    last,
  ),
  shown,
}));

/** Each stream is written by an instance with a clock of its own. */
const ofClocksThatDiffer = fc.tuple(logsWithMoments, clocks).map(([{ events, first, last, ...shown }, offsets]) => {
  const streams = [...new Set(events.map(({ stream }) => stream))];
  const offsetOf = ({ stream }: RecordedEvent) => offsets[streams.indexOf(stream) % offsets.length] ?? 0;
  return {
    ...withTimes(
      events.map((event) => later(event, offsetOf(event))),
      first,
      last,
    ),
    shown,
  };
});

const rowsOf = async (
  shown: (typeof everyPartition)[number],
  events: readonly RecordedEvent[],
): Promise<ReadonlyMap<string, JsonObject>> => {
  const { events: alone } = logOf(events);
  return rowsById(shown, alone, momentAfter(alone, alone.length));
};

const idsOf = (events: readonly { readonly id: string }[]): readonly string[] => events.map(({ id }) => id).sort();

const gathered = async <T>(items: AsyncIterable<T>): Promise<readonly T[]> => {
  const all: T[] = [];
  for await (const item of items) all.push(item);
  return all;
};

const { signal } = new AbortController();

describe('A moment that is given as a time', () => {
  it('means, in at, diff and explain, of each stream what was recorded by then', async () => {
    await fc.assert(
      fc.asyncProperty(ofClocksThatRunBack, async ({ events, earlier, time, shown }) => {
        // Given what was recorded by two times
        const { readModel, partition } = shown;
        const source = { log: logWith(events), index: noIndex };
        const { from, to } = await findMomentPair(createMomentFinder(source.log), { from: earlier, to: time });
        if (!from) throw new Error('There is no earlier moment');
        const [before, after] = [
          await rowsOf(shown, recordedBy(events, earlier)),
          await rowsOf(shown, recordedBy(events, time)),
        ];

        // Then at shows the rows of these events alone
        expect(await rowsById(shown, events, from)).to.deep.equal(before);
        expect(await rowsById(shown, events, to)).to.deep.equal(after);

        // And diff shows what differs between them, by events that the later one has more
        const { rows } = await diffPartitionBetweenMoments(source, readModel, partition, { from, to }, noMask);
        const different = [...new Set([...before.keys(), ...after.keys()])].filter(
          (id) => JSON.stringify(before.get(id)) !== JSON.stringify(after.get(id)),
        );
        expect(rows.map(({ id }) => id)).to.deep.equal(different.sort());
        const known = new Set(idsOf(recordedBy(events, earlier)));
        const between = idsOf(recordedBy(events, time)).filter((id) => !known.has(id));
        for (const row of rows) {
          if (row.kind !== 'added') expect(row.before).to.deep.equal(before.get(row.id));
          if (row.kind !== 'gone') expect(row.after).to.deep.equal(after.get(row.id));
          for (const { by } of row.kind === 'changed' ? row.members : [row]) expect(between).to.include(by.id);
        }

        // And explain shows the same row, made by these events
        for (const row of after.values()) {
          const id = documentIdOf(shown, row);
          const explained = await explainRow(source, readModel, id, to, noMask);
          expect(explained.row).to.deep.equal(row);
          for (const { by } of explained.members) expect(idsOf(recordedBy(events, time))).to.include(by.id);
        }
      }),
      { numRuns: 200 },
    );
  });

  it('means the same events in a search, a story and a count of types', async () => {
    await fc.assert(
      fc.asyncProperty(ofClocksThatRunBack, async ({ events, earlier, time, shown }) => {
        const log = logWith(events);
        const source = { log, index: noIndex };
        const { from, to } = await findMomentPair(createMomentFinder(log), { from: earlier, to: time });
        const expected = recordedBy(events, time);
        const known = new Set(idsOf(recordedBy(events, earlier)));
        const between = expected.filter(({ id }) => !known.has(id));

        const found = await gathered(searchEvents(source, {}, logRangeBetween(from, to), signal));
        expect(idsOf(found)).to.deep.equal(idsOf(between));
        const [type] = events.map((event) => event.type);
        const ofType = await gathered(searchEvents(source, { types: [type ?? ''] }, logRangeBetween(from, to), signal));
        expect(idsOf(ofType)).to.deep.equal(idsOf(between.filter((event) => event.type === type)));
        const counts = await countEventsByType(log, to.position, signal, createMomentFilter(to));
        expect(counts.reduce((sum, each) => sum + each.events, 0)).to.equal(expected.length);
        const story = await readEntityStory(source, { kind: 'posting', id: shown.partition }, to, noMask);
        const { events: alone } = logOf(expected);
        const end = momentAfter(alone, alone.length);
        const told = await readEntityStory(
          { log: logWith(alone), index: noIndex },
          { kind: 'posting', id: shown.partition },
          end,
          noMask,
        );
        expect(idsOf(story)).to.deep.equal(idsOf(told));
      }),
      { numRuns: 200 },
    );
  });

  it('means the same events for all rows of a read model, whatever the clocks of instances', async () => {
    await fc.assert(
      fc.asyncProperty(ofClocksThatDiffer, async ({ events, time, shown: { readModel } }) => {
        const moment = await createMomentFinder(logWith(events))({ at: time });
        const found = (
          await gathered(readModelRowsAt(logWith(events), readModel, moment, { mask: noMask, signal }))
        ).flat();
        const expected: string[] = [];
        for (const each of everyPartition.filter((other) => other.readModel === readModel))
          for (const row of (await rowsOf(each, recordedBy(events, time))).values())
            expected.push(JSON.stringify({ [readModel.by]: each.partition, ...row }));
        expect(found.map((row) => JSON.stringify(row)).sort()).to.deep.equal(expected.sort());
      }),
      { numRuns: 100 },
    );
  });

  it('means the same events for ever, together with the position up to which they were looked at', async () => {
    await fc.assert(
      fc.asyncProperty(ofClocksThatDiffer, async ({ events, earlier, time, shown }) => {
        // Given an answer that was given when the log was half as long
        const half = events.slice(0, Math.ceil(events.length / 2));
        const then = await findMomentPair(createMomentFinder(logWith(half)), { from: earlier, to: time });
        const { from: _from, ...rows } = { ...then, rows: await rowsById(shown, half, then.to) };

        // When it is asked for again with that position
        const { position: upTo } = then.to;
        const again = await findMomentPair(createMomentFinder(logWith(events)), { from: earlier, to: time, upTo });

        // Then
        expect(again).to.deep.equal(then);
        expect(await rowsById(shown, events, again.to)).to.deep.equal(rows.rows);
      }),
      { numRuns: 100 },
    );
  });
});

describe('Two moments', () => {
  const event = (number: number, time: string): RecordedEvent => ({
    id: `e${number}`,
    type: 'PostingClosed',
    version: 1,
    data: {},
    metadata: { recordedAt: `2026-03-01T${time}:00.000Z` },
    stream: `posting-p${number}`,
    revision: 0,
    position: String(number).padStart(6, '0'),
  });
  const log = logWith([event(1, '09:00'), event(2, '11:00'), event(3, '10:00')]);
  const between = (from: string, to?: string) => findMomentPair(createMomentFinder(log), { from, to });
  const at = (time: string) => `2026-03-01T${time}:00.000Z`;

  for (const [from, to, message] of [
    ['3', '1', '000003 comes after 000001'],
    [at('10:00'), at('09:00'), `${at('10:00')} comes after ${at('09:00')}`],
    ['2', at('10:30'), `000002 comes after ${at('10:30')}`],
    ['4', undefined, 'No event stands at the position 000004'],
  ] as const)
    it(`are refused from ${from} to ${to ?? 'now'}`, async () => {
      expect(await rejectionOf(between(from, to))).to.have.property('message', message);
    });

  it('may be a time and a position: of the earlier one what the later one has, too', async () => {
    const { from, to } = await between(at('10:00'), '2');
    const found = await gathered(searchEvents({ log, index: noIndex }, {}, logRangeBetween(from, to), signal));
    expect(idsOf(found)).to.deep.equal(['e2']);
    const later = await between('1', at('10:00'));
    const others = await gathered(
      searchEvents({ log, index: noIndex }, {}, logRangeBetween(later.from, later.to), signal),
    );
    expect(idsOf(others)).to.deep.equal(['e3']);
  });

  it('have no events where the later one is the beginning', async () => {
    const { from, to } = await between('0', '0');
    expect([from, to]).to.deep.equal([
      { at: null, position: START_POSITION, recordedAt: null },
      { at: null, position: START_POSITION, recordedAt: null },
    ]);
  });
});
