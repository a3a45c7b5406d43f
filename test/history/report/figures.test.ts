import { expect } from 'chai';
import { candidate } from '../../../src/domain/candidate.ts';
import { deciders } from '../../../src/domain/index.ts';
import { openEventStoreDb } from '../../../src/event-store/eventstoredb/event-store.ts';
import type { EventStore } from '../../../src/event-store/port.ts';
import type { EventsMeant } from '../../../src/history/moment/moment.ts';
import type { Figures } from '../../../src/history/report/figures.ts';
import { readFigures, type FiguresAsked } from '../../../src/history/report/read-figures.ts';
import { on, storeWith, type Fact } from '../../support/facts.ts';
import { newEmbeddedLog, newMemoryLog, type LogStore } from '../../support/log-stores.ts';
import { newPrefix, withServer } from '../../support/servers.ts';
import { march, measured, world } from './world.ts';
import { rejectionOf } from '../../support/refusal-of.ts';

const read = async (log: EventStore, asked: Partial<FiguresAsked> = {}) =>
  readFigures(
    log,
    { from: null, to: { at: null, position: await log.head() }, withPersonalData: false, ...asked },
    { signal: new AbortController().signal, onEvents: () => undefined },
  );

const figuresOf = async (facts: readonly Fact[], asked?: Partial<FiguresAsked>): Promise<Figures> =>
  (await read(await storeWith(facts), asked)).figures;

/** A moment of March, given as a time. */
const momentOn = async (log: EventStore, day: number): Promise<EventsMeant> => ({
  at: march(day),
  position: await log.head(),
});

describe('The figures of a report', () => {
  it('count postings, saves, applications and hires, and what became of them', async () => {
    const { postings, saves, applications, hires, outcomes } = await figuresOf(world);
    expect({ postings, saves, applications, hires }).to.deep.equal({
      postings: 2,
      saves: 2,
      applications: 4,
      hires: 1,
    });
    expect(outcomes).to.deep.equal({ hired: 1, rejected: 1, closed: 1, open: 1 });
  });

  it('follow applications from save to hire', async () => {
    const { funnel } = await figuresOf(world);
    expect(funnel).to.deep.equal([
      { step: 'applied', all: 4, savedFirst: 1 },
      { step: 'scheduled', all: 1, savedFirst: 1 },
      { step: 'interviewed', all: 1, savedFirst: 1 },
      { step: 'hired', all: 1, savedFirst: 1 },
    ]);
  });

  it('measure the time in each state, which the closing of the posting ends too', async () => {
    const { states } = await figuresOf(world);
    expect(states).to.deep.equal([
      {
        state: 'applied',
        hours: new Map([
          [24, 2],
          [120, 1],
        ]),
        lasting: 1,
      },
      { state: 'scheduled', hours: new Map([[48, 1]]), lasting: 0 },
      { state: 'interviewed', hours: new Map([[72, 1]]), lasting: 0 },
    ]);
  });

  it('count an application whose interview is called off as applied again', async () => {
    const ids = { candidateId: 'c4', postingId: 'p2', professionalId: 'cat' };
    const interview = { ...ids, interviewId: 'i4' };
    const { states, funnel } = await figuresOf([
      ...world,
      on(candidate, 'c4')(
        { type: 'InterviewScheduled', data: { ...interview, interviewAt: march(20) } },
        { at: march(13) },
      ),
      on(candidate, 'c4')({ type: 'InterviewCancelled', data: interview }, { at: march(15) }),
    ]);
    expect(states[0]).to.deep.include({ lasting: 1 });
    expect([...(states[1]?.hours ?? [])]).to.deep.equal([[48, 2]]);
    expect(funnel[1]).to.include({ step: 'scheduled', all: 2 });
  });

  it('count applications and hires in the week in which they happened', async () => {
    const { weeks } = await figuresOf(world);
    expect(weeks).to.deep.equal([
      { monday: '2026-03-02', applications: 2, hires: 0 },
      { monday: '2026-03-09', applications: 2, hires: 1 },
    ]);
  });

  it('tell how fast offices answer, and who gets none', async () => {
    const { answers } = await figuresOf(world);
    expect(answers).to.deep.equal({
      hours: new Map([
        [24, 1],
        [120, 1],
      ]),
      applications: [0, 1, 0, 0, 1, 0, 0, 0],
      offices: [0, 1, 0, 0, 1, 0, 0, 0],
      waiting: 1,
      closed: 1,
    });
  });

  it('place postings where their offices are', async () => {
    const { postingPlaces, postingsWithoutPlace } = await figuresOf(world);
    expect(postingPlaces).to.deep.equal([
      { count: 1, latitude: 42.36, longitude: -71.059 },
      { count: 1, latitude: 30.267, longitude: -97.743 },
    ]);
    expect(postingsWithoutPlace).to.equal(0);
  });

  it('hold nothing personal unless it is asked for', async () => {
    expect((await figuresOf([...world, measured(33)])).personal).to.equal(null);
    const { personal } = await figuresOf([...world, measured(33)], { withPersonalData: true });
    expect(personal).to.deep.equal({
      applicants: [
        { count: 1, latitude: 42.37, longitude: -71.06 },
        { count: 1, latitude: 30.508, longitude: -97.679 },
      ],
      withoutPlace: 1,
      distances: {
        // Bob's way is estimated, under a mile; Ann's is measured.
        applications: [1, 0, 0, 0, 1, 0, 0],
        hires: [0, 0, 0, 0, 1, 0, 0],
        measured: 1,
        unknown: 2,
      },
    });
  });

  it('are about the postings of a profession and a state alone', async () => {
    const assistants = await figuresOf(world, { profession: 'assistant' });
    expect(assistants).to.include({ postings: 1, saves: 0, applications: 2, hires: 0 });
    const inTexas = await figuresOf(world, { state: 'tx' });
    expect(inTexas).to.include({ postings: 1, saves: 2, applications: 2, hires: 1 });
    expect(await figuresOf(world, { state: 'TX', profession: 'assistant' })).to.include({ postings: 0 });
  });

  it('count what happened after a moment, and what became of it', async () => {
    // Given that c1 applied before the moment, and was hired after it
    const log = await storeWith(world);
    const from = await momentOn(log, 5);

    // When
    const { figures } = await read(log, { from });

    // Then the hire counts in its week, and only the later applications in the funnel
    expect(figures).to.include({ saves: 0, applications: 2, hires: 1 });
    expect(figures.weeks).to.deep.equal([{ monday: '2026-03-09', applications: 2, hires: 1 }]);
    expect(figures.funnel.map(({ all }) => all)).to.deep.equal([2, 0, 0, 0]);
    expect([...(figures.states[2]?.hours ?? [])]).to.deep.equal([[72, 1]]);
  });

  it('know nothing of what happened after the end, and no posting that was closed before the beginning', async () => {
    const log = await storeWith(world);
    const early = await read(log, { to: await momentOn(log, 4) });
    expect(early.figures).to.include({ applications: 2, hires: 0 });
    const late = await read(log, { from: await momentOn(log, 11) });
    expect(late.figures).to.include({ postings: 1, applications: 1 });
  });

  it('do not depend on the order of streams, which is another one in a copy of the event log', async () => {
    const byStream = [...world].sort((a, b) => (a.stream < b.stream ? 1 : a.stream > b.stream ? -1 : 0));
    expect(await figuresOf(byStream)).to.deep.equal(await figuresOf(world));
  });

  it('leave out a stream from an event on that cannot be applied, and name it', async () => {
    const ids = { candidateId: 'c9', postingId: 'p2', professionalId: 'dan' };
    const broken = on(candidate, 'c9')({ type: 'CandidateHired', data: ids }, { at: march(12) });
    const { figures, leftOut } = await read(await storeWith([...world, broken]));
    expect(figures).to.include({ applications: 4, hires: 1 });
    expect(leftOut.map(({ stream, revision }) => [stream, revision])).to.deep.equal([['candidate-c9', 0]]);
  });

  it('are given up when that is asked for, also while events are at hand', async () => {
    const log = await storeWith(world);
    const ending = new AbortController();
    const asked = { from: null, to: { at: null, position: await log.head() }, withPersonalData: false };
    const reading = readFigures(log, asked, {
      signal: ending.signal,
      onEvents: () => setImmediate(() => ending.abort(new Error('ended'))),
    });
    expect(await rejectionOf(reading)).to.have.property('message', 'ended');
  });

  it('keep what a stream told before an event that names no posting', async () => {
    const ids = { candidateId: 'c4', postingId: 'p2', professionalId: 'cat' };
    const broken = {
      ...on(candidate, 'c4')({ type: 'CandidateRejected', data: ids }, { at: march(13) }),
      data: {},
    };
    const later = on(candidate, 'c4')({ type: 'CandidateHired', data: ids }, { at: march(14) });
    const { figures, leftOut } = await read(await storeWith([...world, broken, later]));
    expect(figures).to.include({ applications: 4, hires: 1 });
    expect(leftOut.map(({ stream, revision }) => [stream, revision])).to.deep.equal([['candidate-c4', 1]]);
  });

  /** The figures of a history on a store, which is removed afterwards. */
  const figuresOn = async ({ store, remove }: LogStore): Promise<Figures> => {
    try {
      await storeWith([...world, measured(12)], store);
      return (await read(store, { withPersonalData: true })).figures;
    } finally {
      await remove();
    }
  };

  it('are the same on files as in memory', async () => {
    expect(await figuresOn(await newEmbeddedLog())).to.deep.equal(await figuresOn(await newMemoryLog()));
  });

  withServer('The figures of a report on EventStoreDB', 'TEST_EVENTSTORE_URL', (url) => {
    it('are the same on EventStoreDB', async () => {
      const categories = deciders.map(({ category }) => category);
      const store = openEventStoreDb({ url, prefix: newPrefix(), categories });
      const onServer = await figuresOn({ store, remove: () => store.close() });
      expect(onServer).to.deep.equal(await figuresOn(await newMemoryLog()));
    });
  });
});
