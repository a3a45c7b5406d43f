import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { START_POSITION, type RecordedEvent } from '../../../src/event-store/port.ts';
import { groupingsOf, measures, statementOfMeasure } from '../../../src/history/warehouse/measures.ts';
import { seedWorld } from '../../../src/tools/seed/seed.ts';
import { openMemoryEventStore } from '../../support/memory-stores.ts';
import { expectedApplications, kaplanMeier, textOf, timed, type ExpectedApplication } from './expected.ts';
import { answers, refresh } from './stage.ts';

const zones = ['UTC', 'America/Denver', 'Asia/Kolkata', 'Pacific/Auckland'];

/** The first day of the month of a time in milliseconds since 1970, where a time zone counts. */
const monthIn = (zone: string) => {
  const format = new Intl.DateTimeFormat('en-CA', {
    timeZone: zone,
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
  });
  return (at: number): string => `${format.format(at).slice(0, 'yyyy-mm'.length)}-01`;
};

/** What a row of a measure tells: when it counts, and what its value is made of. */
interface Counted {
  readonly at: number;
  /** Of a share: whether it is of the part. */
  readonly isPart?: boolean;
  readonly seconds?: number;
  readonly goesOn?: boolean;
}

/** Of the states of an application, those that are no end. */
const waiting = (stays: ExpectedApplication['stays']) =>
  stays.filter(({ state }) => !['hired', 'rejected'].includes(state));

const hasTime = (time: number | null): time is number => time !== null;

/** The rows of each measure, from events alone. */
const countedIn = (events: readonly RecordedEvent[]): Readonly<Record<string, readonly Counted[]>> => {
  const all = timed(events);
  const applications = expectedApplications(events);
  const end = Math.max(...all.map(({ at }) => at));
  const seconds = (from: number, until: number) => Math.floor(until / 1_000) - Math.floor(from / 1_000);
  const applied = (isPart: (each: ExpectedApplication) => boolean) =>
    applications.map((each) => ({ at: each.applied, isPart: isPart(each) }));
  const firsts = new Map<string, number>();
  for (const { type, data, at } of all)
    if (type === 'PostingRecorded') {
      const id = textOf(data['postingId']);
      firsts.set(id, Math.min(firsts.get(id) ?? Infinity, at));
    }
  const saved = new Set<string>();
  const saves: Counted[] = [];
  const steps = new Map<string, { status: string; began: number }>();
  const stepStays: Counted[] = [];
  const interviews = new Map<string, { at: number; isMoved: boolean; isCancelled: boolean }>();
  for (const { type, data, at } of all) {
    const key = `${textOf(data['professionalId'])}/${textOf(data['postingId'])}`;
    if (type === 'PostingSaved' && !saved.has(key)) {
      saved.add(key);
      saves.push({ at });
    }
    if (type === 'PostingUnsaved') saved.delete(key);
    if (type === 'OnboardingStatusChanged') {
      const [id, status] = [textOf(data['professionalId']), textOf(data['status'])];
      const before = steps.get(id);
      if (before?.status !== status) {
        if (before) stepStays.push({ at: before.began, seconds: seconds(before.began, at), goesOn: false });
        steps.set(id, { status, began: at });
      }
    }
    const id = textOf(data['interviewId']);
    if (type === 'InterviewScheduled') interviews.set(id, { at, isMoved: false, isCancelled: false });
    const interview = interviews.get(id);
    if (interview && type === 'InterviewMoved') interview.isMoved = true;
    if (interview && type === 'InterviewCancelled') interview.isCancelled = true;
  }
  for (const { began } of steps.values()) stepStays.push({ at: began, seconds: seconds(began, end), goesOn: true });
  const interviewed = [...interviews.values()];
  return {
    postings: [...firsts.values()].map((at) => ({ at })),
    saves,
    applications: applied(() => true),
    applications_saved_first: applied(({ saved: first }) => first !== null),
    answered: applied(({ answer }) => answer !== null),
    time_to_answer: applications.map(({ applied: at, answer, closed }) => ({
      at,
      seconds: seconds(at, answer ?? closed ?? end),
      goesOn: answer === null,
    })),
    waiting: applied(({ outcome, answer }) => outcome === 'open' && answer === null),
    invited: applied(({ scheduled }) => scheduled !== null),
    interviewed: applied((each) => each.interviewed !== null),
    hired: applied(({ hired }) => hired !== null),
    hires: applications.flatMap(({ hired: at }) => (hasTime(at) ? [{ at }] : [])),
    time_to_hire: applications.flatMap(({ applied: at, hired }) =>
      hasTime(hired) ? [{ at, seconds: seconds(at, hired), goesOn: false }] : [],
    ),
    rejected_without_interview: applications.flatMap(({ rejected: at, interviewed: held }) =>
      hasTime(at) ? [{ at, isPart: held === null }] : [],
    ),
    time_in_state: applications.flatMap(({ stays }) =>
      waiting(stays).map(({ began: at, ended }) => ({
        at,
        seconds: seconds(at, ended ?? end),
        goesOn: ended === null,
      })),
    ),
    interviews: interviewed.map(({ at }) => ({ at })),
    interviews_moved: interviewed.map(({ at, isMoved }) => ({ at, isPart: isMoved })),
    interviews_cancelled: interviewed.map(({ at, isCancelled }) => ({ at, isPart: isCancelled })),
    time_in_onboarding_step: stepStays,
    reviews: all.filter(({ type }) => type === 'ReviewPosted').map(({ at }) => ({ at })),
  };
};

const DAY = 86_400;

const valueOf = (name: string, rows: readonly Counted[]): number | null => {
  if (name === 'waiting') return rows.filter(({ isPart }) => isPart === true).length;
  if (rows.some(({ goesOn }) => goesOn !== undefined)) {
    const median = kaplanMeier(rows.map(({ seconds = 0, goesOn = false }) => ({ seconds, goesOn })));
    return median === null ? null : median / DAY;
  }
  if (rows.some(({ isPart }) => isPart !== undefined) && name !== 'applications')
    return rows.filter(({ isPart }) => isPart).length / rows.length;
  return rows.length;
};

const byMonth = (rows: readonly Counted[], zone: string): ReadonlyMap<string, readonly Counted[]> => {
  const monthOf = monthIn(zone);
  const months = new Map<string, Counted[]>();
  for (const row of rows) {
    const month = monthOf(row.at);
    months.set(month, [...(months.get(month) ?? []), row]);
  }
  return new Map([...months].sort(([a], [b]) => (a < b ? -1 : 1)));
};

describe('The measures of the warehouse', function () {
  this.timeout(120_000);
  let directory: string;
  beforeEach(async () => (directory = await mkdtemp(join(tmpdir(), 'hiring-measures-'))));
  afterEach(() => rm(directory, { recursive: true }));

  for (const seed of [1, 2, 3])
    it(`are what is counted event by event, by months of four places, in the world of seed ${seed}`, async () => {
      const store = openMemoryEventStore();
      await seedWorld({ eventStore: store, options: { seed, candidates: 150 } });
      const events = await store.readAll(START_POSITION, 1_000_000);
      const counted = countedIn(events);
      await refresh(directory, events);
      for (const timeZone of zones) {
        const statements = measures.map((measure) => statementOfMeasure(measure, { cohort: 'month' }));
        const found = await answers(directory, statements, { timeZone });
        for (const [index, { name }] of measures.entries()) {
          const expected = [...byMonth(counted[name] ?? [], timeZone)];
          const rows = found[index] ?? [];
          expect(rows.map((row) => [row['month'], row['rows']])).to.deep.equal(
            expected.map(([month, all]) => [month, String(all.length)]),
          );
          for (const [month, all] of expected) {
            const value = rows.find((row) => row['month'] === month)?.[name];
            const what = `${name} of ${month} in ${timeZone}`;
            const told = valueOf(name, all);
            if (told === null) expect(value, what).to.equal(null);
            // What is answered has three decimals, or four.
            else expect(Number(value), what).to.be.closeTo(told, 0.000501);
          }
        }
      }
    });

  it('can be grouped by whatever they say they can', async () => {
    await refresh(directory, []);
    const statements = measures.flatMap((measure) =>
      Object.keys(groupingsOf(measure)).map((by) => statementOfMeasure(measure, { by, cohort: 'week' })),
    );
    for (const rows of await answers(directory, statements)) expect(rows).to.deep.equal([]);
  });
});
