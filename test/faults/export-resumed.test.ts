import { expect } from 'chai';
import fc from 'fast-check';
import { join } from 'node:path';
import type { ExportFormatOptions } from '../../src/history/export/formats.ts';
import {
  eventLists,
  exportInto,
  filesOf,
  inDirectory,
  Killed,
  killedAfter,
  PART_EVENTS,
  storeOf,
} from '../history/export/stage.ts';
import { rejectionOf } from '../support/refusal-of.ts';

/** Each with how many histories are tried: to open a warehouse takes long. */
const forms: readonly (readonly [ExportFormatOptions, number])[] = [
  [{ format: 'ndjson', types: undefined }, 25],
  [{ format: 'ndjson', types: ['CandidateApplied', 'PostingSaved'] }, 25],
  [{ format: 'csv', types: undefined }, 8],
  [{ format: 'parquet', types: undefined }, 4],
  [{ format: 'csv', types: undefined, caseOf: 'posting' }, 2],
];

/** Runs one export to its end; then others, killed after each number of operations, and started again. */
const compareKills = (form: ExportFormatOptions, numRuns: number) =>
  fc.assert(
    fc.asyncProperty(eventLists, fc.array(fc.nat({ max: 60 }), { minLength: 1, maxLength: 4 }), (events, kills) =>
      inDirectory(async (directory) => {
        const [whole, resumed] = [join(directory, 'whole'), join(directory, 'resumed')];
        const log = await storeOf(events);
        await exportInto(log, whole, form);
        for (const after of kills) {
          const { operations } = killedAfter(after);
          try {
            await exportInto(log, resumed, form, { operations });
          } catch (error) {
            if (!(error instanceof Killed)) throw error;
          }
        }
        await exportInto(log, resumed, form);
        expect(await filesOf(resumed)).to.deep.equal(await filesOf(whole));
      }),
    ),
    { numRuns },
  );

describe('An export that is killed', function () {
  this.timeout(120_000);
  for (const [form, numRuns] of forms)
    it(`makes the same bytes when it is started again: ${Object.values(form).join(' ')}`, () =>
      compareKills(form, numRuns));

  it('makes the same bytes wherever it was killed', () =>
    inDirectory(async (directory) => {
      const [events = []] = fc.sample(eventLists, { numRuns: 1, seed: 7 });
      const log = await storeOf(events.slice(0, PART_EVENTS + 2));
      const form: ExportFormatOptions = { format: 'csv', types: undefined };
      const counting = killedAfter(Infinity);
      await exportInto(log, join(directory, 'whole'), form, { operations: counting.operations });
      const whole = await filesOf(join(directory, 'whole'));
      for (let after = 0; after < counting.begun(); after++) {
        const killed = join(directory, String(after));
        const { operations } = killedAfter(after);
        const run = exportInto(log, killed, form, { operations });
        expect(await rejectionOf(run)).to.be.instanceOf(Killed);
        await exportInto(log, killed, form);
        expect(await filesOf(killed), `killed after ${after}`).to.deep.equal(whole);
      }
    }));

  it('first goes on to where it was under way to', () =>
    inDirectory(async (directory) => {
      const [events = []] = fc.sample(eventLists, { numRuns: 1, seed: 11 });
      const [whole, resumed] = [join(directory, 'whole'), join(directory, 'resumed')];
      const some = Math.floor(events.length / 2);
      const log = await storeOf(events.slice(0, some));
      const upTo = await log.head();
      const form: ExportFormatOptions = { format: 'csv', types: undefined };
      const { operations } = killedAfter(20);
      await exportInto(log, resumed, form, { operations }).catch(() => undefined);
      const grown = await storeOf(events);
      await exportInto(grown, resumed, form);
      await exportInto(grown, whole, form, { upTo });
      await exportInto(grown, whole, form);
      expect(await filesOf(resumed)).to.deep.equal(await filesOf(whole));
    }));
});
