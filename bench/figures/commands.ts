import { copyFile } from 'node:fs/promises';
import { join } from 'node:path';
import { readEmbeddedHead } from '../../src/event-store/embedded/event-store.ts';
import { BARE_KOA, EMMETT, SERVICE, USUAL, type FigureGroup } from '../figure.ts';
import { nthOf } from '../load/requests.ts';
import type { LoadResult, Once } from '../load/spec.ts';
import { SAVE, savesByNewcomers } from '../newcomers.ts';
import { startBareCommand } from '../processes/bare-koa.ts';
import { isPeerThere, loadedPeer, startPeer } from '../processes/peer.ts';
import { startService } from '../processes/service.ts';
import { refuseOtherAnswers, startUsual } from '../processes/usual.ts';
import { formatNumber } from '../report/format.ts';
import { copyWorld } from '../worlds.ts';
import { CONNECTIONS, httpMeasures, httpSample, underLoad } from './http-measures.ts';

/** How many users send the commands. */
export const NEWCOMERS = 2_000;

/** Loads that each go on where the last one stopped, so that no request is sent twice; saves are their first source. */
export const continuing = (saves: Once, load: (saves: Once) => Promise<LoadResult>) => {
  let { first } = saves;
  const left = (): Once => ({ ...saves, first });
  const next = async (): Promise<LoadResult> => {
    const result = await load(left());
    first += result.sent[0] ?? 0;
    return result;
  };
  return { left, next };
};

/**
 * The load, and a check that every command that was answered has stored something, which is on disk.
 *
 * @param stored how much is
 */
const storing = (stored: () => number, load: () => Promise<LoadResult>) => async () => {
  const before = stored();
  const result = await load();
  const added = stored() - before;
  const sent = result.sent[0] ?? 0;
  if (added < result.requests || added > sent)
    throw new Error(`${added} were stored; allowed: from ${result.requests} answered to ${sent} sent`);
  return result;
};

const startPeerOn = async (world: string, place: string, say: (text: string) => void) => {
  const file = join(place, 'emmett.db');
  await copyFile(await loadedPeer(world, say), file);
  return startPeer(file);
};

export const commands: FigureGroup = {
  name: 'commands',
  title: 'Commands',
  about: [
    `\`POST ${SAVE}\` on ${CONNECTIONS.commands} connections. Each sends the next command as soon as the last one is answered. ${NEWCOMERS} users with a token each save other postings each time, so every command appends an event, which is on disk (fsync) before the answer. The read models are kept up to date meanwhile. After each load the benchmark checks that an event or a row was stored for each answer; the last column is how long the read models then took to catch up.`,
    'Baselines: a bare Koa route that parses the body and answers 204; the [usual stack](#what-is-compared), which makes the same checks by SQL and inserts a row in one durable transaction; and the same command on Emmett with Express and SQLite after the same history (`bench/peers/README.md`).',
  ],
  measures: [...httpMeasures, { name: 'behind', title: 'read models behind, s', digits: 2 }],
  isDefault: true,
  async *figures({ settings: { events, seconds }, world, scratch, load, keep, say }) {
    const { directory, population } = await world(events);
    const copy = await scratch();
    await copyWorld(directory, copy);
    const usual = keep(await startUsual(directory, await scratch()));
    const service = keep(await startService(copy));
    const saves = await savesByNewcomers(service.url, population, 'newcomer', NEWCOMERS);
    const first = await savesByNewcomers(service.url, population, 'first', 1);
    await refuseOtherAnswers(service.url, usual.url, [nthOf(first, 0)]);
    const bare = keep(await startBareCommand(SAVE));
    const peer = isPeerThere() ? keep(await startPeerOn(directory, await scratch(), say)) : undefined;
    const loadOn = (url: string) =>
      continuing(saves, (source) => load({ url, seconds, connections: CONNECTIONS.commands, sources: [source] })).next;
    const appending = storing(() => readEmbeddedHead(join(copy, 'events.db')), loadOn(service.url));
    const inserting = storing(usual.saves, loadOn(usual.url));
    yield {
      name: `savePosting, ${CONNECTIONS.commands} connections, ${formatNumber(population.events, 0)} events before`,
      contenders: [
        {
          name: SERVICE,
          async measure() {
            const result = await appending();
            return { ...httpSample(result), behind: await service.settle() };
          },
        },
        underLoad(BARE_KOA, loadOn(bare.url)),
        underLoad(USUAL, inserting),
        ...(peer ? [underLoad(EMMETT, loadOn(peer.url))] : []),
      ],
      targets: [
        {
          says: 'commands a second, as a share of bare Koa',
          measure: 'perSecond',
          of: SERVICE,
          against: BARE_KOA,
          must: { atLeast: 0.25 },
          aim: { atLeast: 0.35 },
        },
        {
          says: 'commands a second, as a multiple of the usual stack',
          measure: 'perSecond',
          of: SERVICE,
          against: USUAL,
          must: { atLeast: 1.2 },
        },
        {
          says: "commands a second, as a multiple of Emmett's",
          measure: 'perSecond',
          of: SERVICE,
          against: EMMETT,
          must: { atLeast: 5 },
        },
      ],
      warmsUp: true,
    };
  },
};
