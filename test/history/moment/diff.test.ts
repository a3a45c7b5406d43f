import { expect } from 'chai';
import fc from 'fast-check';
import { diffPartitionBetweenMoments, type RowDifference } from '../../../src/history/moment/diff.ts';
import { memberChangesBetween, valueAtPath } from '../../../src/history/moment/member-paths.ts';
import { maskBy, noMask } from '../../../src/history/moment/mask.ts';
import type { JsonObject } from '../../../src/schema/json.ts';
import { logsWithMoments, momentAfter, rowsById, sourceOf } from './stage.ts';

/** The differences between two sets of rows, without the events. */
const expectedBetween = (before: ReadonlyMap<string, JsonObject>, after: ReadonlyMap<string, JsonObject>): object[] =>
  [...new Set([...before.keys(), ...after.keys()])].sort().flatMap((id): object[] => {
    const [from, to] = [before.get(id), after.get(id)];
    if (!from) return [{ kind: 'added', id, after: to }];
    if (!to) return [{ kind: 'gone', id, before: from }];
    const members = memberChangesBetween(from, to).map(({ path }) => path);
    return members.length > 0 ? [{ kind: 'changed', id, before: from, after: to, members }] : [];
  });

const withoutEvents = (row: RowDifference) => {
  if (row.kind !== 'changed') {
    const { by: _by, ...rest } = row;
    return rest;
  }
  return { ...row, members: row.members.map(({ path }) => path) };
};

describe('The difference between two moments', () => {
  it('names the rows that came and went, and exactly the members that differ as they are shown', async () => {
    const masks = fc.constantFrom(noMask, maskBy('a secret'));
    await fc.assert(
      fc.asyncProperty(logsWithMoments, masks, async ({ events, first, last, ...shown }, mask) => {
        const moments = { from: momentAfter(events, first), to: momentAfter(events, last) };
        const { readModel, partition } = shown;
        const { rows } = await diffPartitionBetweenMoments(sourceOf(events), readModel, partition, moments, mask);
        const before = await rowsById(shown, events, moments.from, mask);
        const after = await rowsById(shown, events, moments.to, mask);
        expect(rows.map(withoutEvents)).to.deep.equal(expectedBetween(before, after));
      }),
      { numRuns: 200 },
    );
  });

  it('names for each the event between the moments since which it is as it is', async () => {
    await fc.assert(
      fc.asyncProperty(logsWithMoments, async ({ events, first, last, ...shown }) => {
        const moments = { from: momentAfter(events, first), to: momentAfter(events, last) };
        const { readModel, partition } = shown;
        const { rows } = await diffPartitionBetweenMoments(sourceOf(events), readModel, partition, moments, noMask);
        const history = await Promise.all(
          Array.from({ length: last + 1 }, (_, count) => rowsById(shown, events, momentAfter(events, count))),
        );
        for (const row of rows)
          for (const { path, by } of row.kind === 'changed' ? row.members : [{ path: null, by: row.by }]) {
            /** The member, or whether there is a row, after each event. */
            const values = history.map((each) => (path ? valueAtPath(each.get(row.id), path) : each.has(row.id)));
            const end = JSON.stringify(values[last]);
            const since = values.findLastIndex((value) => JSON.stringify(value) !== end);
            expect(by.id).to.equal(events[since]?.id);
            expect(since).to.be.within(first, last - 1);
          }
      }),
      { numRuns: 60 },
    );
  });
});
