import { expect } from 'chai';
import fc from 'fast-check';
import type { RecordedEvent } from '../../../src/event-store/port.ts';
import type { MemberCause } from '../../../src/history/moment/row-changes.ts';
import { explainRow } from '../../../src/history/moment/explain.ts';
import { valueAtPath } from '../../../src/history/moment/member-paths.ts';
import { noMask } from '../../../src/history/moment/mask.ts';
import type { Json } from '../../../src/schema/json.ts';
import { logsWithMoments, momentAfter, rowsById, sourceOf, type Shown } from './stage.ts';

const explained = (shown: Shown, events: readonly RecordedEvent[], id: string) =>
  explainRow(sourceOf(events), shown.readModel, id, momentAfter(events, events.length), noMask);

/** The value of a member on a log; undefined without the row. */
const valueOn = async (shown: Shown, events: readonly RecordedEvent[], id: string, path: readonly string[]) =>
  valueAtPath((await rowsById(shown, events, momentAfter(events, events.length))).get(id), path);

/**
 * Leaves the named event out. A later event may set the same value again: then that one is named on the log without the
 * first, and is left out too.
 *
 * @returns the value once no named event is left
 */
const valueWithout = async (
  shown: Shown,
  all: readonly RecordedEvent[],
  id: string,
  { path, by }: MemberCause,
  value: Json | undefined,
): Promise<Json | undefined> => {
  const named = new Set<string>();
  let [events, next] = [all, by.id];
  for (;;) {
    expect(named.has(next)).to.equal(false);
    named.add(next);
    events = events.filter((event) => !named.has(event.id));
    const left = await valueOn(shown, events, id, path);
    if (JSON.stringify(left) !== JSON.stringify(value)) return left;
    const again = (await explained(shown, events, id)).members.find((each) => each.path.join() === path.join());
    if (!again) return left;
    next = again.by.id;
  }
};

/** The same history with the streams first that make rows, which gives the same rows in the end. */
const rowsFirst = (events: readonly RecordedEvent[], { readModel }: Shown): RecordedEvent[] => {
  const isOfRows = ({ stream }: RecordedEvent) => stream.startsWith(`${readModel.madeBy}-`);
  return [...events.filter(isOfRows), ...events.filter((each) => !isOfRows(each))].map((event, index) => ({
    ...event,
    position: String(index + 1).padStart(6, '0'),
  }));
};

describe('The explanation of a row', () => {
  it('names for each member an event without which it would be different', async () => {
    await fc.assert(
      fc.asyncProperty(logsWithMoments, async ({ events: all, last, ...shown }) => {
        const events = all.slice(0, last);
        for (const [id, row] of await rowsById(shown, events, momentAfter(events, last))) {
          const { members, partition, row: found } = await explained(shown, events, id);
          expect(partition).to.equal(shown.partition);
          expect(found).to.deep.equal(row);
          for (const member of members) {
            const value = valueAtPath(row, member.path);
            expect(await valueWithout(shown, events, id, member, value)).to.not.deep.equal(value);
          }
        }
      }),
      { numRuns: 60 },
    );
  });

  it('names for each member the event that changed it to what it is, once there was a row', async () => {
    await fc.assert(
      fc.asyncProperty(logsWithMoments, async ({ events: all, last, ...shown }) => {
        const events = rowsFirst(all.slice(0, last), shown);
        const end = momentAfter(events, last);
        for (const id of (await rowsById(shown, events, end)).keys()) {
          const { members, row } = await explained(shown, events, id);
          for (const { path, by } of members) {
            const value = valueAtPath(row, path);
            const place = events.findIndex((event) => event.id === by.id);
            const [before, after] = await Promise.all(
              [place, place + 1].map(async (count) =>
                valueAtPath((await rowsById(shown, events, momentAfter(events, count))).get(id), path),
              ),
            );
            expect(before).to.not.deep.equal(value);
            expect(after).to.deep.equal(value);
          }
        }
      }),
      { numRuns: 60 },
    );
  });
});
