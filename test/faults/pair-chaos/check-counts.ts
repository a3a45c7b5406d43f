import { isDeepStrictEqual } from 'node:util';
import { statusAfter } from '../../support/status-after.ts';
import { until } from './until.ts';
import { ask } from './ask.ts';
import type { Crowd } from './crowd.ts';
import type { LoggedEvent } from './event-log.ts';
import type { Instance } from './instance.ts';
import { adminClaims, claimsOf, type Claims, type World } from './world.ts';

const PAGE_SIZE = 100;
const AT_ONCE = 8;
const WITHIN_MS = 15_000;
const LIMITS = [50, 100, 150, 200] as const;

interface CandidatePage {
  readonly data: readonly { readonly id: string; readonly officeStatus: string }[];
  readonly metadata: { readonly tabs: Readonly<Record<string, number>> };
  readonly pagination: { readonly total: number };
}
interface SavedPage {
  readonly data: readonly {
    readonly id: string;
    readonly commute: { readonly drive: { readonly roadDistance: number | null } };
  }[];
  readonly pagination: { readonly total: number };
  readonly summary: Readonly<Record<string, number>>;
}

const read = async <Page>(instance: Instance, path: string, as: Claims): Promise<Page> => {
  const reply = await ask(instance.running()?.url, { method: 'GET', path, as });
  if (reply?.status !== 200)
    throw new Error(`GET ${path} at instance ${instance.number}: ${reply?.status ?? 'no answer'}`);
  return reply.body as Page;
};

const statusOf = (events: readonly LoggedEvent[]): string | undefined =>
  events.flatMap(({ type }) => statusAfter[type] ?? []).at(-1);

/** The status of each candidate of a posting by the event log, by id. */
const candidatesIn = (streams: ReadonlyMap<string, readonly LoggedEvent[]>, posting: string) => {
  const found = new Map<string, string>();
  for (const events of streams.values()) {
    const [first] = events;
    const status = statusOf(events);
    if (first?.type === 'CandidateApplied' && first.data['postingId'] === posting && status !== undefined)
      found.set(String(first.data['candidateId']), status);
  }
  return found;
};

const tally = (values: readonly string[]): Readonly<Record<string, number>> => {
  const counts: Record<string, number> = {};
  for (const value of values) counts[value] = (counts[value] ?? 0) + 1;
  return counts;
};

/** What is wrong with the counts of a posting; undefined when nothing is. */
const postingFault = async (
  instance: Instance,
  posting: string,
  known: ReadonlyMap<string, string>,
): Promise<string | undefined> => {
  const path = (page: number) => `/postings/${posting}/candidates?pageSize=${PAGE_SIZE}&page=${page}`;
  const first = await read<CandidatePage>(instance, path(1), adminClaims);
  const expected = known.size;
  const pages = [first];
  const numbers = Array.from({ length: Math.ceil(expected / PAGE_SIZE) }, (_, index) => index + 2).values();
  const readOn = async () => {
    for (const number of numbers) pages.push(await read<CandidatePage>(instance, path(number), adminClaims));
  };
  await Promise.all(Array.from({ length: AT_ONCE }, readOn));
  const rows = pages.flatMap(({ data }) => data);
  const { all = 0, ...tabs } = first.metadata.tabs;
  const counted = tally(rows.map(({ officeStatus }) => officeStatus));
  const shown = Object.fromEntries(Object.entries(tabs).filter(([, count]) => count !== 0));
  if (rows.length !== expected) return `${posting} lists ${rows.length} candidates; the event log has ${expected}`;
  const wrong = rows.find(({ id, officeStatus }) => officeStatus !== known.get(id));
  if (wrong) return `${posting} lists ${wrong.id} as ${wrong.officeStatus}, who is ${known.get(wrong.id) ?? 'unknown'}`;
  if (!isDeepStrictEqual(shown, counted) || all !== rows.length || first.pagination.total !== rows.length)
    return `${posting} counts ${JSON.stringify(first.metadata.tabs)} and lists ${JSON.stringify(counted)}`;
  return undefined;
};

/** What is wrong with the saved postings of a professional; undefined when nothing is. */
const savedFault = async (
  instance: Instance,
  professional: string,
  events: readonly LoggedEvent[] = [],
): Promise<string | undefined> => {
  const saved = new Set<unknown>();
  for (const { type, data } of events)
    if (type === 'PostingSaved') saved.add(data['postingId']);
    else if (type === 'PostingUnsaved') saved.delete(data['postingId']);
  const page = await read<SavedPage>(instance, `/postings/saved?pageSize=${PAGE_SIZE}`, claimsOf(professional));
  const ids = page.data.map(({ id }) => id);
  if (!isDeepStrictEqual(ids.toSorted(), [...saved].map(String).sort()))
    return `${professional} is shown ${ids.join() || 'nothing'} as saved, and has saved ${[...saved].join() || 'nothing'}`;
  const within = (limit: number) =>
    page.data.filter(({ commute }) => (commute.drive.roadDistance ?? Infinity) <= limit).length;
  const counted = Object.fromEntries(LIMITS.map((limit) => [`within${limit}MilesCount`, within(limit)]));
  return isDeepStrictEqual(page.summary, counted) && page.pagination.total === ids.length
    ? undefined
    : `${professional} is told ${JSON.stringify(page.summary)} of ${page.pagination.total}, and the rows say ${JSON.stringify(counted)} of ${ids.length}`;
};

/** Expects, at each instance, counts that match the lists, and lists that match the event log. */
export const expectCounts = async (
  instances: readonly Instance[],
  { postings, professionals }: World,
  streams: ReadonlyMap<string, readonly LoggedEvent[]>,
  crowd: Crowd,
): Promise<void> => {
  let faults: string[] = [];
  const look = async () => {
    const looks: readonly ((at: Instance) => Promise<string | undefined>)[] = [
      ...postings.map(
        ({ id }) =>
          (at: Instance) =>
            postingFault(at, id, candidatesIn(streams, id)),
      ),
      (at) => postingFault(at, crowd.posting, crowd.statuses()),
      ...professionals.map((id) => (at: Instance) => savedFault(at, id, streams.get(`savedPostings-${id}`))),
    ];
    faults = [];
    for (const [index, fault] of looks.entries()) {
      const instance = instances[index % instances.length];
      const found = instance && (await fault(instance));
      if (found !== undefined) faults.push(found);
    }
    return faults.length === 0;
  };
  // A list and its count may be of different moments while the instance applies events.
  await until('what is counted is what is listed', look, WITHIN_MS).catch((error: unknown) => {
    throw faults.length === 0 ? error : new Error(faults.join('; '), { cause: error });
  });
};
