import { expect } from 'chai';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { MongoClient } from 'mongodb';
import { projections } from '../../projections/index.ts';
import { openEmbeddedEventStore } from '../../src/event-store/embedded/event-store.ts';
import { openEventReader } from '../../src/event-store/embedded/reader.ts';
import { START_POSITION, type EventLog, type RecordedEvent } from '../../src/event-store/port.ts';
import { openMongoReadModels } from '../../src/read-models/mongodb/read-models.ts';
import type { LeaseStatus, ReadModelStore } from '../../src/read-models/port.ts';
import { seedWorld } from '../../src/tools/seed/seed.ts';
import { eventually } from '../support/eventually.ts';
import { openMemoryEventStore } from '../support/memory-stores.ts';
import { dumpDocuments, type Dump } from '../support/read-model-dump.ts';
import { newDatabase } from '../support/servers.ts';
import { openLink, type Link } from './link.ts';
import { forkProjector, type ProjectorChild } from './projector-child.ts';
import { createModel, differing } from './model.ts';
import { rebuild } from './rebuild.ts';

/**
 * An event log that a test appends to, and projectors that apply it to one MongoDB database. At first the event log
 * holds the events before the first application.
 */
export interface Stage {
  readonly readModels: ReadModelStore;
  readonly log: Pick<EventLog, 'readAll'>;
  /** Appends the next events of a realistic history. */
  readonly grow: (events: number) => Promise<void>;
  /** Starts a projector in a process of its own. */
  readonly start: (by?: Link) => Promise<ProjectorChild>;
  /** A proxy between a projector and the database. */
  readonly link: () => Promise<Link>;
  /** By projection. */
  readonly leases: () => Promise<ReadonlyMap<string, LeaseStatus>>;
  /** Waits until one projector holds the leases of all projections; gives how many milliseconds that took. */
  readonly holds: (child: ProjectorChild) => Promise<number>;
  /** Waits until all appended events are in the read models. */
  readonly caughtUp: () => Promise<void>;
  readonly documents: () => Promise<Dump>;
  /** Marks the read models as built by another version of the code. */
  readonly outdate: () => Promise<void>;
  /** What a rebuild from nothing makes of the event log. */
  readonly rebuilt: () => Promise<Dump>;
  readonly end: () => Promise<void>;
}

const WORLD = { seed: 7, candidates: 200 };
/** The type of the first event after the setup of postings and people. */
const FIRST = 'CandidateApplied';

let made: Promise<readonly RecordedEvent[]> | undefined;
const history = (): Promise<readonly RecordedEvent[]> =>
  (made ??= (async () => {
    const store = openMemoryEventStore();
    await seedWorld({ eventStore: store, options: WORLD });
    return store.readAll(START_POSITION, 1_000_000);
  })());

/** A holder's name contains its process id. */
const isHeldBy =
  ({ pid }: ProjectorChild) =>
  ({ holder }: LeaseStatus): boolean =>
    holder?.includes(`:${pid}:`) === true;

export const newStage = async (server: string): Promise<Stage> => {
  const directory = await mkdtemp(join(tmpdir(), 'hiring-faults-'));
  const file = join(directory, 'events.db');
  const log = await openEmbeddedEventStore(file);
  const database = newDatabase(server);
  const readModels = openMongoReadModels({ url: database.url });
  const children: ProjectorChild[] = [];
  const links: Link[] = [];
  let next = 0;
  const leases = async (): Promise<ReadonlyMap<string, LeaseStatus>> =>
    (await readModels.leases?.keep(
      [],
      projections.map(({ name }) => name),
    )) ?? new Map<string, LeaseStatus>();
  const areAll = async (hold: (lease: LeaseStatus) => boolean): Promise<boolean> => {
    const all = await leases();
    return all.size === projections.length && [...all.values()].every(hold);
  };

  const grow = async (events: number): Promise<void> => {
    for (const { stream, revision, position: _, ...event } of (await history()).slice(next, next + events)) {
      const appended = await log.append({ stream, expectedRevision: revision - 1, events: [event] });
      if (appended.kind !== 'appended') throw new Error(`The history does not fit: ${appended.kind}`);
      next++;
      for (const child of children) child.tell({ kind: 'appended', position: appended.position });
    }
  };
  await grow((await history()).findIndex(({ type }) => type === FIRST));

  return {
    readModels,
    log,
    leases,
    grow,
    async start(by) {
      const child = await forkProjector(file, by ? by.urlOf(database.url) : database.url);
      children.push(child);
      return child;
    },
    async link() {
      const link = await openLink(server);
      links.push(link);
      return link;
    },
    holds: (child) => eventually('a projector has all the leases', () => areAll(isHeldBy(child))),
    async caughtUp() {
      const head = await log.head();
      await eventually('the read models have everything', () => areAll(({ position }) => position >= head));
    },
    documents: () => dumpDocuments(readModels),
    async outdate() {
      const client = new MongoClient(database.url);
      await client
        .db()
        .collection('projections')
        .updateMany({}, { $set: { definition: 'of another version' } });
      await client.close();
    },
    async rebuilt() {
      const reader = openEventReader(file);
      const dump = await rebuild(reader, server);
      await reader.close();
      return dump;
    },
    async end() {
      for (const child of children) await child.kill();
      for (const link of links) await link.close();
      await readModels.close();
      await database.drop();
      await log.close();
      await rm(directory, { recursive: true });
    },
  };
};

/** Expects that no document is missing, doubled or stale. */
export const expectAsRebuilt = async ({ documents, rebuilt }: Stage): Promise<void> => {
  const found = await documents();
  expect(found['posting_candidates']).not.to.deep.equal({});
  expect(found).to.deep.equal(await rebuilt());
};

/** Expects each projection's documents to match the event log up to its checkpoint. */
export const expectAsCheckpoints = async ({ readModels, log, documents }: Stage): Promise<void> => {
  const model = createModel(log);
  const found = await documents();
  for (const projection of projections) {
    const { position = START_POSITION } = (await readModels.checkpointOf(projection.name)) ?? {};
    const own = Object.fromEntries(projection.collections.map(({ name }) => [name, found[name] ?? {}]));
    const expected = await model.at(projection, position);
    expect(differing(own, expected), `${projection.name} at ${position}`).to.deep.equal([]);
  }
};
