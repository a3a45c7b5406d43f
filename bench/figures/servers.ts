import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { streamCategories } from '../../src/domain/index.ts';
import { Type } from '../../src/schema/typebox.ts';
import { postingCandidates } from '../../projections/posting-candidates.ts';
import { copyLog } from '../../src/event-store/copy-log.ts';
import { systemClock } from '../../src/ports/clock.ts';
import { openEventStore } from '../../src/stores.ts';
import type { World } from '../context.ts';
import { SERVICE, type Contender, type FigureGroup } from '../figure.ts';
import { savesByNewcomers } from '../newcomers.ts';
import { askOnce, projectorHeap } from '../processes/child.ts';
import { startService } from '../processes/service.ts';
import { formatNumber } from '../report/format.ts';
import { NEWCOMERS, continuing } from './commands.ts';
import { CONNECTIONS } from './http-measures.ts';
import { visibleAt } from './visible.ts';

const BARE = 'bare client';
/** Commands a second while the read that waits is measured: the same for every version. */
const VISIBLE_RATE = 200;
const Measured = Type.Object({ perSecond: Type.Number(), seconds: Type.Number(), cpuMicros: Type.Number() });
const Rebuilt = Type.Object({
  seconds: Type.Number(),
  cpuMicros: Type.Number(),
  memoryMb: Type.Number(),
  documents: Type.Integer(),
  drops: Type.Integer(),
});
const Appended = Type.Object({
  perSecond: Type.Number(),
  cpuMicros: Type.Number(),
  p50: Type.Number(),
  p99: Type.Number(),
});

/** @throws Error where no servers are named */
const serversOf = (environment: NodeJS.ProcessEnv) => {
  const [eventStore, mongo] = [environment['BENCH_EVENTSTORE_URL'], environment['BENCH_MONGODB_URL']];
  if (!eventStore || !mongo) throw new Error('BENCH_EVENTSTORE_URL and BENCH_MONGODB_URL must name the servers');
  const [, start = mongo, options = ''] = /^([^?]*?)\/?(\?.*)?$/.exec(mongo) ?? [];
  return { eventStore, newDatabase: () => `${start}/bench-${randomUUID()}${options}` };
};

/** The history of a world in EventStoreDB; what is there already is verified and not copied again. */
const copied = async ({ directory, population }: World, url: string, say: (text: string) => void) => {
  const prefix = `bench-${population.events}-`;
  say(`Copying a world of ${population.events} events to EventStoreDB`);
  const source = await openEventStore({ kind: 'sqlite', path: join(directory, 'events.db') });
  const target = await openEventStore({ kind: 'eventstoredb', url, prefix, categories: streamCategories });
  const outcome = await copyLog({ source, target, clock: systemClock, onProgress: () => undefined });
  await source.close();
  await target.close();
  if (outcome.kind !== 'verified') throw new Error(`The world could not be copied: ${outcome.kind}`);
  return prefix;
};

export const servers: FigureGroup = {
  name: 'servers',
  title: 'On EventStoreDB and MongoDB',
  about: [
    'Both servers, the service and the load share the cores. Rebuilding: one projection, and all in one pass, from nothing to the head of the event log. Appending: `POST /professionals/postings/save` on 64 connections; every command appends an event. Visible: a save by one more user at a steady load, from its answer to that of the read that waits for it.',
    'Baselines: a process that subscribes to `$all` with the same filter and only counts; and 64 callers of `appendToStream` in one process, each with one event at a time.',
    'CPU is that of the process, with all its threads, for each event or append; for the service that includes its requests and read models. Servers and load are not counted.',
  ],
  measures: [
    { name: 'perSecond', title: 'a second', digits: 0 },
    { name: 'seconds', title: 'seconds', digits: 2 },
    { name: 'cpuMicros', title: 'CPU an event, µs', digits: 0 },
    { name: 'memoryMb', title: 'peak resident, MB', digits: 0 },
    { name: 'p50', title: 'p50, ms', digits: 2 },
    { name: 'p99', title: 'p99, ms', digits: 2 },
  ],
  // They need servers.
  isDefault: false,
  async *figures({ settings: { events, seconds }, world, scratch, load, keep, say }) {
    const { eventStore, newDatabase } = serversOf(process.env);
    const large = await world(events);
    const { population } = large;
    const prefix = await copied(large, eventStore, say);
    const rebuild = async (projection?: string) => {
      const request = { eventStoreUrl: eventStore, prefix, readModelUrl: newDatabase(), projection };
      const rebuilt = await askOnce('server-rebuild', request, Rebuilt, projectorHeap('mongodb'));
      const { documents, seconds: took, cpuMicros, memoryMb } = rebuilt;
      if (documents !== population.candidates)
        throw new Error(`${documents} documents of candidates; allowed: ${population.candidates}`);
      return { perSecond: population.events / took, seconds: took, cpuMicros: cpuMicros / population.events, memoryMb };
    };
    const counting: Contender = {
      name: BARE,
      measure: () =>
        askOnce('server-bare', { kind: 'count', url: eventStore, prefix, events: population.events }, Measured),
    };
    const size = `${formatNumber(population.events, 0)} events`;
    yield {
      name: `${postingCandidates.name}, ${size}: rebuilding`,
      contenders: [{ name: SERVICE, measure: () => rebuild(postingCandidates.name) }, counting],
      targets: [
        {
          says: 'events a second, as a share of counting alone',
          measure: 'perSecond',
          of: SERVICE,
          against: BARE,
          must: { atLeast: 0.4 },
          aim: { atLeast: 0.5 },
        },
      ],
      warmsUp: false,
    };
    yield {
      name: `all projections, ${size}: rebuilding`,
      contenders: [{ name: SERVICE, measure: () => rebuild() }, counting],
      targets: [{ says: 'seconds', measure: 'seconds', of: SERVICE, must: { atMost: 100 } }],
      warmsUp: false,
    };

    const small = await world(Math.round(events / 10));
    const service = keep(
      await startService(await scratch(), {
        EVENT_STORE_URL: eventStore,
        EVENT_STORE_PREFIX: await copied(small, eventStore, say),
        READ_MODEL_URL: newDatabase(),
        // Instances share it by way of MongoDB: the bare client has nothing like it.
        RATE_LIMIT_PER_SECOND: '0',
      }),
    );
    const saves = await savesByNewcomers(service.url, small.population, `newcomer-${randomUUID()}`, NEWCOMERS);
    const { next } = continuing(saves, (source) =>
      load({ url: service.url, seconds, connections: CONNECTIONS.commands, sources: [source] }),
    );
    yield {
      name: `${CONNECTIONS.commands} connections: appending`,
      contenders: [
        {
          name: SERVICE,
          async measure() {
            const before = await service.cpuMicros();
            const { perSecond, p50, p99, sent } = await next();
            await service.settle();
            const cpuMicros = ((await service.cpuMicros()) - before) / (sent[0] ?? NaN);
            return { perSecond, cpuMicros, p50, p99 };
          },
        },
        {
          name: BARE,
          measure: () =>
            askOnce(
              'server-bare',
              {
                kind: 'append',
                url: eventStore,
                prefix: `bench-bare-${randomUUID()}-`,
                callers: CONNECTIONS.commands,
                seconds,
              },
              Appended,
            ),
        },
      ],
      targets: [
        {
          says: 'appends a second, as a share of the bare client',
          measure: 'perSecond',
          of: SERVICE,
          against: BARE,
          must: { atLeast: 0.3 },
        },
      ],
      warmsUp: true,
    };

    const { url } = service;
    const users = `${randomUUID()}-`;
    // No target of its own: it tells versions apart.
    yield await visibleAt({
      url,
      population: small.population,
      prefix: users,
      rate: VISIBLE_RATE,
      seconds,
      load,
      targets: [],
    });
  },
};
