import { expect } from 'chai';
import fc from 'fast-check';
import { START, type RecordedEvent } from '../../../src/event-store/port.ts';
import { rowsAt } from '../../../src/history/moment/at.ts';
import { shownReadModel } from '../../../src/history/moment/shown.ts';
import { noMask } from '../../../src/history/moment/mask.ts';
import { readFigures } from '../../../src/history/report/read-figures.ts';
import { logOf } from '../../projections/applying.ts';
import { choices, histories, interleave } from '../../support/history.ts';
import { logWith, sourceOf } from '../moment/stage.ts';
import { ids } from '../streams.ts';

const sumOf = (counts: readonly number[]): number => counts.reduce((sum, count) => sum + count, 0);

const upTo = (events: readonly RecordedEvent[]) => events.at(-1)?.position ?? START;

const figuresOf = async (events: readonly RecordedEvent[], after = START) => {
  const from = { at: null, position: after };
  const asked = { from, to: { at: null, position: upTo(events) }, withPersonalData: true };
  const told = { signal: new AbortController().signal, onEvents: () => undefined };
  return (await readFigures(logWith(events), asked, told)).figures;
};

/** How many candidates the read model shows in each hiring status, and in each office status that is open. */
const countedInReadModel = async (events: readonly RecordedEvent[]) => {
  const readModel = shownReadModel('posting-candidates');
  const outcomes = { open: 0, hired: 0, rejected: 0, closed: 0 };
  const open = { applied: 0, scheduled: 0, interviewed: 0 };
  for (const postingId of ids.postings) {
    const moment = { at: null, position: upTo(events), recordedAt: null };
    const { rows } = await rowsAt(sourceOf(events), readModel, postingId, moment, noMask);
    for (const { hiringStatus, officeStatus } of rows) {
      outcomes[hiringStatus as keyof typeof outcomes]++;
      if (hiringStatus === 'open') open[officeStatus as keyof typeof open]++;
    }
  }
  return { outcomes, open };
};

describe('The figures of any history', () => {
  const logs = fc
    .tuple(histories, choices)
    .map(([history, order]) => logOf(interleave(history, order)).events);

  it('say of candidates what the read model of the service says', () =>
    fc.assert(
      fc.asyncProperty(logs, async (events) => {
        const { outcomes, states } = await figuresOf(events);
        const expected = await countedInReadModel(events);
        expect(outcomes).to.deep.equal(expected.outcomes);
        expect(Object.fromEntries(states.map(({ state, lasting }) => [state, lasting]))).to.deep.equal(
          expected.open,
        );
      }),
      { numRuns: 100 },
    ));

  it('count every application once, in whatever they tell of it', () =>
    fc.assert(
      fc.asyncProperty(logs, async (events) => {
        const { applications, hires, funnel, weeks, answers, personal, outcomes } = await figuresOf(events);
        expect(funnel[0]?.all).to.equal(applications);
        expect(sumOf(Object.values(outcomes))).to.equal(applications);
        expect(sumOf(weeks.map((week) => week.applications))).to.equal(applications);
        expect(sumOf(weeks.map((week) => week.hires))).to.equal(hires);
        expect(sumOf(answers.applications) + answers.waiting + answers.closed).to.equal(applications);
        expect(sumOf(personal?.distances.applications ?? []) + (personal?.distances.unknown ?? 0)).to.equal(
          applications,
        );
      }),
      { numRuns: 100 },
    ));

  it('split at a moment into what was before and what came after', () =>
    fc.assert(
      fc.asyncProperty(logs, fc.nat({ max: 100 }), async (events, percent) => {
        const cut = events.slice(0, Math.round((events.length * percent) / 100));
        const [all, before, later] = await Promise.all([
          figuresOf(events),
          figuresOf(cut),
          figuresOf(events, upTo(cut)),
        ]);
        expect(before.applications + later.applications).to.equal(all.applications);
        expect(before.hires + later.hires).to.equal(all.hires);
      }),
      { numRuns: 100 },
    ));
});
