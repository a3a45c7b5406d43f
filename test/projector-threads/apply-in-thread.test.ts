import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { projections } from '../../projections/index.ts';
import type { EventStore } from '../../src/event-store/port.ts';
import { typesApplied } from '../../src/projector/projection.ts';
import {
  createBuildGroupApplier,
  type ApplyGroups,
  type BuildPart,
  type GroupBuildRequest,
} from '../../src/projector/apply-groups.ts';
import { groupApplierThreadUrl } from '../../src/hiring/threads.ts';
import { createThreadedGroupApplier } from '../../src/projector-threads/apply-in-thread.ts';
import { seedWorld } from '../../src/tools/seed/seed.ts';
import { openLogHere } from '../support/threads-here.ts';
import { rejectionOf } from '../support/refusal-of.ts';

const collect = async (parts: AsyncIterable<BuildPart>): Promise<BuildPart[]> => {
  const all: BuildPart[] = [];
  for await (const part of parts) all.push(part);
  return all;
};

describe('groups that are applied in a thread of their own', () => {
  let directory: string;
  let store: EventStore;
  let build: GroupBuildRequest;
  const { signal } = new AbortController();
  const refused: ApplyGroups = () => {
    throw new Error('It is done in another thread');
  };
  const nothingBuilt = () => Promise.reject(new Error('Nothing is built'));
  const inThread = (path = join(directory, 'events.db')) =>
    createThreadedGroupApplier(
      groupApplierThreadUrl,
      { eventStore: { kind: 'sqlite', path }, readModels: { kind: 'sqlite', path: join(directory, 'read-models.db') } },
      refused,
      true,
    );
  before(async () => {
    directory = await mkdtemp(join(tmpdir(), 'group-applier-'));
    store = await openLogHere(join(directory, 'events.db'));
    await seedWorld({ eventStore: store, options: { seed: 3, candidates: 600 } });
    build = {
      starts: projections.map((projection) => ({ projection, parked: [], isBegun: false })),
      read: { by: 'professionalId', types: typesApplied(projections), upTo: await store.head(), batchSize: 200 },
      maxDocuments: 50,
      everyMs: 60_000,
    };
  });
  after(async () => {
    await store.close();
    await rm(directory, { recursive: true });
  });

  it('make of all projections what they make in this one', async () => {
    const made = await collect(inThread()(build, signal));
    expect(made.flatMap(({ documents }) => documents)).to.have.length.above(20);
    expect(made).to.deep.equal(
      await collect(createBuildGroupApplier((...args) => store.readGroups(...args), nothingBuilt)(build, signal)),
    );
  });

  it('are applied in this one where the log is short', () => {
    const short = { ...build, read: { ...build.read, upTo: '0000000000000100' } };
    expect(() => inThread()(short, signal)).to.throw('in another thread');
  });

  it('end when they are to', async () => {
    const aborting = new AbortController();
    let count = 0;
    for await (const _ of inThread()(build, aborting.signal)) {
      count++;
      aborting.abort();
    }
    expect(count).to.equal(1);
  });

  it('end where the reader of them leaves off', async () => {
    for await (const { projection } of inThread()(build, signal)) {
      expect(projection).to.equal(projections[0]?.name);
      break;
    }
  });

  it('fail where the log cannot be read', async () => {
    const nowhere = inThread(join(directory, 'not-there', 'events.db'));
    const failed = await rejectionOf(collect(nowhere(build, signal)));
    expect(failed).to.be.instanceOf(Error);
  });
});
