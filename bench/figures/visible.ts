import { Type } from '../../src/schema/typebox.ts';
import { whenEnded } from '../ended.ts';
import type { Context } from '../context.ts';
import { SERVICE, type Contender, type Figure, type FigureGroup, type Sample, type Target } from '../figure.ts';
import { collectLatencies } from '../load/latencies.ts';
import { nthOf } from '../load/requests.ts';
import type { Request } from '../load/spec.ts';
import { parse } from '../../src/schema/parse.ts';
import { savesByNewcomers } from '../newcomers.ts';
import type { Population } from '../population.ts';
import { startService } from '../processes/service.ts';
import { PAGE_SIZE } from '../requests.ts';
import { copyWorld } from '../worlds.ts';
import { continuing, NEWCOMERS } from './commands.ts';
import { CONNECTIONS } from './http-measures.ts';

const WITHOUT = 'the same read, without waiting';

const Page = Type.Object({ data: Type.Array(Type.Object({ id: Type.String() })) });
const Body = Type.Object({ postingId: Type.String() });

const ok = async (response: Response): Promise<Response> => {
  if (response.status !== 200)
    throw new Error(`${response.url} was answered with ${response.status}: ${await response.text()}`);
  return response;
};

/**
 * Saves a posting, then reads the list of saved postings.
 *
 * @param waits whether the read carries the Consistency-Token; then the posting must be there
 * @returns milliseconds from the answer of the save to the answer of the read
 */
const probe = async (url: string, save: Request, waits: boolean): Promise<number> => {
  const { method, path, headers, body = '' } = save;
  const saved = await ok(await fetch(url + path, { method, headers, body }));
  await saved.arrayBuffer();
  const token = saved.headers.get('Consistency-Token');
  if (token === null) throw new Error(`${path} was answered without a Consistency-Token`);
  const started = performance.now();
  const read = await fetch(`${url}/postings/saved?pageSize=${PAGE_SIZE}`, {
    headers: { ...headers, ...(waits ? { 'Consistency-Token': token } : {}) },
  });
  const page: unknown = await (await ok(read)).json();
  const milliseconds = performance.now() - started;
  const { postingId } = parse(Body, JSON.parse(body), 'body');
  if (waits && !parse(Page, page, 'page').data.some(({ id }) => id === postingId))
    throw new Error(`The read does not show posting ${postingId}, which was saved before`);
  return milliseconds;
};

/** Probes one after the other until something has ended. */
const probing = async (probeNext: () => Promise<number>, end: Promise<unknown>): Promise<Sample> => {
  const latencies = collectLatencies();
  const started = performance.now();
  const signal = whenEnded(end);
  while (!signal.aborted) latencies.add(await probeNext());
  const { requests, p50, p99 } = latencies.over((performance.now() - started) / 1_000);
  return { p50, p99, reads: requests };
};

/** What the figure needs of its group. */
interface Probed extends Pick<Context, 'load'> {
  readonly seconds: number;
  readonly url: string;
  readonly population: Population;
  /** Of the users that it makes: others than before on the same log. */
  readonly prefix?: string;
  /** Commands a second meanwhile; left out: half of the peak of `savePosting`, which is measured first. */
  readonly rate?: number;
  readonly targets: readonly Target[];
}

/** How soon a save is seen while others save at a steady rate. */
export const visibleAt = async (probed: Probed): Promise<Figure> => {
  const { url, population, prefix = '', seconds, load, targets } = probed;
  const newcomers = (name: string) => savesByNewcomers(url, population, `${prefix}${name}`, NEWCOMERS);
  const probes = await newcomers('probe');
  const spec = { url, seconds, connections: CONNECTIONS.commands };

  const halfOfPeak = async (): Promise<number> => {
    const full = continuing(await newcomers('peak'), (source) => load({ ...spec, sources: [source] }));
    await full.next();
    return (await full.next()).perSecond / 2;
  };
  const rate = probed.rate ?? (await halfOfPeak());
  let count = 0;
  const contender = (name: string, waits: boolean): Contender => ({
    name,
    async measure() {
      // Others each time: with the same ones, lists of saved postings would get as long as no professional's is.
      const saves = await newcomers(`load-${count}`);
      // For longer, because there is only one who looks.
      const loading = load({ ...spec, seconds: seconds * 3, sources: [saves], rate });
      const sample = await probing(() => probe(url, nthOf(probes, count++), waits), loading);
      return { ...sample, perSecond: (await loading).perSecond };
    },
  });
  return {
    name: `savePosting to getSavedPostings at ${Math.round(rate)} commands/s`,
    contenders: [contender(SERVICE, true), contender(WITHOUT, false)],
    targets,
    warmsUp: true,
  };
};

export const visible: FigureGroup = {
  name: 'visible',
  title: 'From an append to the read model',
  about: [
    'At half of the peak of `savePosting`, one more user saves a posting and then reads the list of saved postings with the `Consistency-Token` of the answer. The time is that from the answer of the save to the answer of the read. The benchmark checks that the posting is on the list.',
    'The load is sent at a steady rate, whatever the answers do. Baseline: the same read without the token, which waits for nothing.',
  ],
  measures: [
    { name: 'p50', title: 'p50, ms', digits: 2 },
    { name: 'p99', title: 'p99, ms', digits: 2 },
    { name: 'reads', title: 'reads', digits: 0 },
    { name: 'perSecond', title: 'commands/s meanwhile', digits: 0 },
  ],
  isDefault: true,
  async *figures({ settings: { events, seconds }, world, scratch, load, keep }) {
    const { directory, population } = await world(events);
    const copy = await scratch();
    await copyWorld(directory, copy);
    const { url } = keep(await startService(copy));
    const targets: readonly Target[] = [
      { says: 'p50, ms', measure: 'p50', of: SERVICE, must: { atMost: 10 } },
      { says: 'p99, ms', measure: 'p99', of: SERVICE, must: { atMost: 50 } },
    ];
    yield await visibleAt({ url, population, seconds, load, targets });
  },
};
