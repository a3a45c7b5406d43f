import { expect } from 'chai';
import { estimateRoadRoute, greatCircleDistance } from '../../../src/domain/commute.ts';
import { officeDecider } from '../../../src/domain/office.ts';
import { START_POSITION, type RecordedEvent } from '../../../src/event-store/port.ts';
import { usStateNameNear } from '../../../src/history/report/us-states.ts';
import { seedWorld } from '../../../src/tools/seed/seed.ts';
import { bodies } from '../../support/examples.ts';
import { on, storeWith } from '../../support/facts.ts';
import { openMemoryEventStore } from '../../support/memory-stores.ts';
import { expectedApplications, kaplanMeier, textOf, timed } from '../warehouse/expected.ts';
import { openReports, tablesIn, totalsIn, withReports } from './stage.ts';
import { march, measured, world } from './world.ts';

const DAY = 86_400_000;
const zones = ['UTC', 'America/Denver', 'Asia/Kolkata', 'Pacific/Auckland'];

const seeded = async (seed: number): Promise<readonly RecordedEvent[]> => {
  const store = openMemoryEventStore();
  await seedWorld({ eventStore: store, options: { seed, candidates: 150 } });
  return store.readAll(START_POSITION, 1_000_000);
};

const count = (value: number): string => value.toLocaleString('en-US');
const duration = (days: number | null): string => {
  if (days === null) return '–';
  const hours = Math.floor(days * 24);
  return days < 1 ? `${hours} hour${hours === 1 ? '' : 's'}` : `${days.toFixed(1)} days`;
};
const share = (part: number, of: number): string => {
  const percent = (part / of) * 100;
  return `${percent > 0 && percent < 1 ? percent.toFixed(1) : percent.toFixed(0)}%`;
};

const seconds = (from: number, until: number): number => Math.floor(until / 1_000) - Math.floor(from / 1_000);

/** How many numbers lie below each edge, and not below the one before. */
const byClass = (numbers: readonly number[], edges: readonly number[]): readonly string[] =>
  [...edges, Infinity].map((edge, at) =>
    count(numbers.filter((number) => number < edge && number >= (edges[at - 1] ?? 0)).length),
  );
const dayEdges = [1, 2, 3, 5, 7, 14, 28, 56, 112];

/** The Monday of the week of a time, where a time zone counts. */
const mondayIn = (zone: string) => {
  const format = new Intl.DateTimeFormat('en-CA', { timeZone: zone });
  return (at: number): string => {
    const day = Date.parse(format.format(at));
    return new Date(day - ((new Date(day).getUTCDay() + 6) % 7) * DAY).toISOString().slice(0, 10);
  };
};

const weeksOf = (times: readonly number[], zone: string): Readonly<Record<string, number>> => {
  const mondayOf = mondayIn(zone);
  const weeks: Record<string, number> = {};
  for (const at of times) weeks[mondayOf(at)] = (weeks[mondayOf(at)] ?? 0) + 1;
  return weeks;
};

const column = (rows: readonly (readonly string[])[] | undefined, at: number): readonly string[] =>
  (rows ?? []).map((row) => row[at] ?? '');

/** The newest data of each entity. */
const newest = (events: readonly RecordedEvent[], type: string, id: string) =>
  new Map(events.filter((event) => event.type === type).map(({ data }) => [textOf(data[id]), data]));

interface Place {
  readonly latitude: number;
  readonly longitude: number;
}

const placeIn = (value: unknown): Place | undefined => {
  const { latitude, longitude } = Object(value) as Readonly<Record<string, unknown>>;
  return latitude && longitude ? { latitude: Number(latitude), longitude: Number(longitude) } : undefined;
};

describe('The figures of a report', function () {
  this.timeout(120_000);

  it('are what is counted event by event, in four places', async () => {
    const events = await seeded(1);
    const applications = expectedApplications(events);
    const end = Math.max(...timed(events).map(({ at }) => at));
    const offices = newest(events, 'OfficeRecorded', 'officeId');
    const postings = newest(events, 'PostingRecorded', 'postingId');
    const people = newest(events, 'ProfessionalRecorded', 'professionalId');
    const officeOf = (posting: string) => textOf(postings.get(posting)?.['officeId']);
    const placeOf = (officeId: string) => {
      const address = offices.get(officeId)?.['address'];
      return placeIn(Array.isArray(address) ? (address as readonly unknown[])[0] : undefined);
    };
    const pages = await withReports(events, async (report) => {
      const made = [];
      for (const timeZone of zones) made.push((await report({ timeZone })).page);
      return made;
    });
    const [page = ''] = pages;
    const tables = tablesIn(page);
    const hires = applications.flatMap(({ hired }) => (hired === null ? [] : [hired]));
    expect(totalsIn(page)).to.deep.include({
      'New postings': count(postings.size),
      Applications: count(applications.length),
      Hires: count(hires.length),
    });

    const steps = ['answer', 'scheduled', 'interviewed', 'hired'] as const;
    const reached = [
      applications.length,
      ...steps.map((step) => applications.filter((each) => each[step] !== null).length),
    ];
    expect(column(tables['Applications made in the span, by how far they came since'], 1)).to.deep.equal(
      reached.map(count),
    );

    const untilHired = kaplanMeier(
      applications.flatMap(({ applied, hired }) =>
        hired === null ? [] : [{ seconds: seconds(applied, hired), goesOn: false }],
      ),
    );
    expect(totalsIn(page)['Median hire']).to.equal(duration(untilHired === null ? null : untilHired / 86_400));
    const cohorts = tables['Cohorts, by the month of the application'] ?? [];
    expect([1, 2].map((at) => column(cohorts, at).reduce((sum, text) => sum + Number(text), 0))).to.deep.equal([
      applications.length,
      applications.filter(({ outcome }) => outcome === 'open').length,
    ]);

    const stays = applications.flatMap((each) => each.stays);
    const times = tables['Stays that began in the span, and how long they last'] ?? [];
    for (const [at, state] of ['applied', 'scheduled', 'interviewed'].entries()) {
      const those = stays.filter((stay) => stay.state === state);
      const lasting = those.map(({ began, ended }) => ({
        seconds: seconds(began, ended ?? end),
        goesOn: ended === null,
      }));
      const within = [0.1, 0.25, 0.5, 0.75, 0.9].map((part) => {
        const found = kaplanMeier(lasting, part);
        return duration(found === null ? null : found / 86_400);
      });
      const over = those.filter(({ ended }) => ended !== null).length;
      expect(column(times, at + 1)).to.deep.equal([count(over), count(those.length - over), ...within]);
    }

    const waits = applications.filter(({ outcome, answer }) => outcome === 'open' && answer === null);
    expect(column(tables['Waiting applications by age'], 1)).to.deep.equal(
      waits.length === 0
        ? []
        : byClass(
            waits.map(({ applied }) => seconds(applied, end) / 86_400),
            dayEdges,
          ),
    );
    const answered = applications.flatMap(({ applied, answer }) =>
      answer === null ? [] : [seconds(applied, answer) / 86_400],
    );
    expect(column(tables['Applications by the time to their first answer'], 1)).to.deep.equal([
      ...byClass(answered, dayEdges),
      count(waits.length),
      count(applications.length - answered.length - waits.length),
    ]);

    const byOffice = new Map<string, (typeof applications)[number][]>();
    for (const each of applications)
      byOffice.set(officeOf(each.posting), [...(byOffice.get(officeOf(each.posting)) ?? []), each]);
    const named = [...byOffice]
      .filter(([, all]) => all.length >= 5)
      .map(([id, all]) => {
        const median = kaplanMeier(
          all.map(({ applied, answer, closed }) => ({
            seconds: seconds(applied, answer ?? closed ?? end),
            goesOn: answer === null,
          })),
        );
        const text = median === null ? 'not half yet' : duration(median / 86_400);
        return `${textOf(offices.get(id)?.['officeName'])} ${count(all.length)} ${text}`;
      });
    const shown = (tables['Offices by the time within which half of their applications are answered'] ?? []).map(
      (row) => row.join(' ').replace(/ \(\S+\)/, ''),
    );
    expect(shown).to.have.length(Math.min(20, named.length));
    for (const row of shown) expect(named).to.include(row);

    const rejected = applications.filter((each) => each.rejected !== null);
    const professions = new Map<string, (typeof rejected)[number][]>();
    for (const each of rejected) {
      const profession = textOf(postings.get(each.posting)?.['profession']);
      professions.set(profession, [...(professions.get(profession) ?? []), each]);
    }
    expect(tables['Rejections in the span, by the profession of the posting']).to.have.deep.members(
      [...professions].map(([profession, all]) => [
        profession,
        count(all.length),
        share(all.filter(({ interviewed }) => interviewed === null).length, all.length),
      ]),
    );

    for (const [at, zone] of zones.entries()) {
      const weeks = tablesIn(pages[at] ?? '')['Applications and hires by the week in which they happened'];
      const counted = (index: number): Readonly<Record<string, number>> => {
        const found: Record<string, number> = {};
        for (const row of weeks ?? [])
          if (row[index] !== '0')
            found[(row[0] ?? '').slice(0, 'yyyy-mm-dd'.length)] = Number(row[index]?.replace(',', ''));
        return found;
      };
      const applied = applications.map((each) => each.applied);
      expect(counted(1), zone).to.deep.equal(weeksOf(applied, zone));
      expect(counted(2), zone).to.deep.equal(weeksOf(hires, zone));
    }

    const states = new Map<string, [postings: number, applicants: number]>();
    const add = (place: Place | undefined, of: 0 | 1): void => {
      const name = place ? (usStateNameNear(place) ?? 'Elsewhere') : 'Place not known';
      const both = states.get(name) ?? [0, 0];
      both[of]++;
      states.set(name, both);
    };
    for (const { officeId } of postings.values()) add(placeOf(textOf(officeId)), 0);
    for (const id of new Set(applications.map(({ professional }) => professional))) add(placeIn(people.get(id)), 1);
    const cells = tables['By state'] ?? [];
    // The middle of what stands together tells the state of all of it.
    expect(column(cells, 1).reduce((sum, text) => sum + Number(text), 0)).to.equal(postings.size);
    for (const [name, ...counts] of cells) {
      const [ofPostings = 0, ofApplicants = 0] = states.get(name ?? '') ?? [];
      expect(Number(counts[0]), name).to.be.closeTo(ofPostings, 0.1 * ofPostings + 1);
      expect(Number(counts[1]), name).to.be.closeTo(ofApplicants, 0.1 * ofApplicants + 3);
    }

    const miles = applications.flatMap(({ posting, professional }) => {
      const [home, work] = [placeIn(people.get(professional)), placeOf(officeOf(posting))];
      return home && work ? [estimateRoadRoute(greatCircleDistance(home, work)).roadDistance] : [];
    });
    expect(
      column(tables['Applications by the distance to the office, and those of them that led to a hire'], 1),
    ).to.deep.equal([...byClass(miles, [5, 10, 20, 30, 50, 100]), count(applications.length - miles.length)]);
  });

  it('are those of the span that was asked for, and of what was known at its end', async () => {
    const events = await seeded(1);
    const times = timed(events);
    const [from = 0, to = 0] = [0.4, 0.8].map((part) => times[Math.floor(times.length * part)]?.at ?? 0);
    const then = events.filter((_, index) => (times[index]?.at ?? 0) <= to);
    const applications = expectedApplications(then).filter(({ applied }) => applied > from);
    const hires = expectedApplications(then).filter(({ hired }) => hired !== null && hired > from);
    const { page } = await withReports(events, (report) =>
      report({ from: new Date(from).toISOString(), to: new Date(to).toISOString() }),
    );
    expect(totalsIn(page)).to.deep.include({ Applications: count(applications.length), Hires: count(hires.length) });
    const funnel = tablesIn(page)['Applications made in the span, by how far they came since'];
    expect(column(funnel, 1).at(-1)).to.equal(count(applications.filter(({ hired }) => hired !== null).length));
    const weeks = tablesIn(page)['Applications and hires by the week in which they happened'] ?? [];
    const mondayOf = mondayIn('UTC');
    expect([weeks[0]?.[0], weeks.at(-1)?.[0]]).to.deep.equal([
      `${mondayOf(from)} (a part)`,
      `${mondayOf(to)} (a part)`,
    ]);
  });

  it('show no endless number of weeks', async () => {
    const ancient = on(officeDecider, 'ancient')(
      { type: 'OfficeRecorded', data: { officeId: 'ancient', ...bodies.office } },
      { at: '1970-01-05T10:00:00.000Z' },
    );
    const events = await (await storeWith([ancient, ...world])).readAll(START_POSITION, 1_000);
    const { page } = await withReports(events, (report) => report());
    const weeks = tablesIn(page)['Applications and hires by the week in which they happened'] ?? [];
    expect(weeks).to.have.length(260);
    expect(weeks.at(-1)).to.deep.equal(['2026-03-09 (a part)', '2', '1']);
  });
});

describe('The figures of a report of a small world', () => {
  type Reports = Awaited<ReturnType<typeof openReports>>;
  let earlier: Reports;
  /** Once a router has measured one of two distances. */
  let later: Reports;
  let upTo: string;
  before(async () => {
    const store = await storeWith(world);
    const events = await store.readAll(START_POSITION, 1_000);
    upTo = events.at(-1)?.position ?? '';
    earlier = await openReports(events);
    await storeWith([measured(12.34)], store);
    later = await openReports(await store.readAll(START_POSITION, 1_000));
  });
  after(() => Promise.all([earlier.close(), later.close()]));

  it('show weeks of the span in which nothing happened, and none that it only touches', async () => {
    const { page } = await earlier.report({ from: '2026-02-02', to: '2026-03-09' });
    expect(tablesIn(page)['Applications and hires by the week in which they happened']).to.deep.equal([
      ['2026-02-02', '0', '0'],
      ['2026-02-09', '0', '0'],
      ['2026-02-16', '0', '0'],
      ['2026-02-23', '0', '0'],
      ['2026-03-02', '2', '0'],
    ]);
  });

  it('begin days where the time zone is', async () => {
    const { provenance } = await earlier.report({ from: '2026-03-05', timeZone: 'America/Denver' });
    expect(provenance.from?.at).to.equal('2026-03-05T07:00:00.000Z');
  });

  it('are those at a position for ever, whatever comes later', async () => {
    const again = await later.report({ upTo });
    expect(again.page).to.equal((await earlier.report()).page);
    expect(again.provenance.to.recordedAt).to.equal(march(12));
  });

  it('take a distance that a router measured between these places, and estimate others', async () => {
    expect((await later.report()).page).to.include('1 of 2 distances were measured');
  });

  it('are of no postings where a filter matches none, which is refused with what there is', async () => {
    const { page } = await earlier.report({ profession: 'assistant', state: 'ma' });
    expect(totalsIn(page)['Applications']).to.equal('2');
    const refused = await earlier.report({ state: 'Texas' }).catch((error: unknown) => error);
    expect(String(refused)).to.match(
      /No posting is of the state Texas; there are the professions assistant, hygienist, and the states MA, TX/,
    );
  });
});
