import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import fc from 'fast-check';
import { projections } from '../../projections/index.ts';
import { postingCandidates } from '../../projections/posting-candidates.ts';
import { createDecoder } from '../../src/streams/decode.ts';
import { deciders, decodeDomainEvent, eventDefinitions, type DomainEvent } from '../../src/domain/index.ts';
import type { Projection } from '../../src/projector/projection.ts';
import { defineCollection, type ReadModelStore } from '../../src/read-models/port.ts';
import { openMemoryReadModels } from '../support/memory-stores.ts';
import { openEmbeddedReadModels } from '../../src/read-models/embedded/read-models.ts';
import { choices, histories, inTime, interleave } from '../support/history.ts';
import { documentsAfter, applyLog, logOf, plans, shownBy } from './applying.ts';

/** A history, another order of it, and the batches and crashes of its application. */
const cases = fc.record({ history: histories, order: choices, plan: plans });
type Case = typeof cases extends fc.Arbitrary<infer Value> ? Value : never;

/** What a projection shows after an undisturbed run, and after a disturbed run in another order. */
const bothOf = async (projection: Projection, { history, order, plan }: Case): Promise<[string[], string[]]> => [
  await documentsAfter(projection, logOf(inTime(history))),
  await documentsAfter(projection, logOf(interleave(history, order)), plan),
];

describe('histories', () => {
  it('hold streams that their deciders can read', () => {
    fc.assert(
      fc.property(histories, (history) => {
        for (const { stream, events } of history) {
          const decider = deciders.find(({ category }) => stream.startsWith(`${category}-`));
          const own = new Set<string>(decider?.events.map(({ type }) => type));
          const decode = createDecoder(eventDefinitions.filter(({ type }) => own.has(type)));
          const decoded = events.map((event, revision) => decode({ ...event, stream, revision, position: '1' }));
          expect(decoded).to.not.include(undefined);
          expect(events.map(({ metadata }) => metadata['recordedAt'])).to.deep.equal(
            events.map(({ metadata }) => metadata['recordedAt']).sort(),
          );
        }
      }),
      { numRuns: 50 },
    );
  });

  it('hold every event that a projection applies', () => {
    const seen = new Set(
      fc.sample(histories, { numRuns: 100, seed: 1 }).flatMap((history) => inTime(history).map(({ type }) => type)),
    );
    const applied = new Set(projections.flatMap(({ handlers }) => Object.keys(handlers)));
    expect([...applied].filter((type) => !seen.has(type))).to.deep.equal([]);
  });

  it('keep the order of each stream and the times of each event in every interleaving', () => {
    fc.assert(
      fc.property(histories, choices, (history, order) => {
        const log = interleave(history, order);
        for (const { stream, events } of history) {
          const kept = log.filter((event) => event.stream === stream);
          expect(kept).to.deep.equal(events.map((event, revision) => ({ ...event, stream, revision })));
        }
        expect(log).to.have.length(history.flatMap(({ events }) => events).length);
      }),
      { numRuns: 20 },
    );
  });
});

describe('a finished read model', () => {
  // Of all projections at once, so that each history is made once.
  it('is the same whatever the batches, crashes and interleaving', async () => {
    await fc.assert(
      fc.asyncProperty(cases, async ({ history, order, plan }) => {
        const [ordered, interleaved] = [logOf(inTime(history)), logOf(interleave(history, order))];
        for (const projection of projections)
          expect(await documentsAfter(projection, interleaved, plan), projection.name).to.deep.equal(
            await documentsAfter(projection, ordered),
          );
      }),
      { numRuns: 200 },
    );
  });

  for (const projection of projections)
    it(`is filled by such histories: ${projection.name}`, async () => {
      const empty = new Set(projection.collections.map(({ name }) => name));
      for (const history of fc.sample(histories, { numRuns: 20, seed: 1 }))
        for (const line of await documentsAfter(projection, logOf(inTime(history))))
          empty.delete(line.split(' ')[0] ?? '');
      expect([...empty]).to.deep.equal([]);
    });

  for (const projection of projections)
    it(`keeps each document in its partition: ${projection.name}`, async () => {
      for (const history of fc.sample(histories, { numRuns: 100, seed: 1 })) {
        const partitions = new Map<string, unknown>();
        const readModels = openMemoryReadModels();
        const watched: ReadModelStore = {
          ...readModels,
          commit(identity, writes, checkpoint) {
            for (const { collection, id, doc } of writes) {
              if (!doc || collection.partition === 'id') continue;
              const key = `${collection.name} ${id}`;
              const partition: unknown = Reflect.get(doc, collection.partition);
              expect(partitions.get(key) ?? partition, key).to.equal(partition);
              partitions.set(key, partition);
            }
            return readModels.commit(identity, writes, checkpoint);
          },
        };
        await applyLog(watched, projection, logOf(inTime(history)), { sizes: [1], maxDocuments: 1, crashes: [] });
      }
    });

  it('is the same in the embedded store', async () => {
    const directory = await mkdtemp(join(tmpdir(), 'convergence-'));
    const readModels = openEmbeddedReadModels(join(directory, 'read-models.db'));
    try {
      await fc.assert(
        fc.asyncProperty(cases, async ({ history, order, plan }) => {
          for (const projection of projections) {
            await readModels.prepare(projection);
            await readModels.reset(projection);
            await applyLog(readModels, projection, logOf(interleave(history, order)), plan);
            expect(await shownBy(readModels, projection)).to.deep.equal(
              await documentsAfter(projection, logOf(inTime(history))),
            );
          }
        }),
        { numRuns: 5 },
      );
    } finally {
      await readModels.close();
      await rm(directory, { recursive: true, force: true });
    }
  });
});

describe('the property of finished read models', () => {
  const isBroken = async (projection: Projection, more: Partial<Case['plan']> = {}): Promise<boolean> => {
    const property = fc.asyncProperty(cases, async (each) => {
      const [undisturbed, disturbed] = await bothOf(projection, { ...each, plan: { ...each.plan, ...more } });
      expect(disturbed).to.deep.equal(undisturbed);
    });
    return (await fc.check(property, { numRuns: 100, seed: 1, endOnFailure: true })).failed;
  };
  const latest = defineCollection<{ readonly id: string }>({ name: 'latest', partition: 'id', indexes: [] });
  const sums = defineCollection<{ readonly owner: string; readonly count: number }>({
    name: 'sums',
    partition: 'owner',
    indexes: [['owner']],
  });
  const calls = defineCollection<{ readonly count: number }>({ name: 'calls', partition: 'id', indexes: [] });

  it('is broken by a projection that shows which stream came last', async () => {
    const projection: Projection<DomainEvent> = {
      name: 'latest',
      version: 1,
      collections: [latest],
      decode: decodeDomainEvent,
      handlers: {
        PostingSaved: ({ data: { professionalId } }, documents) => {
          documents.put(latest, 'only', { id: professionalId });
        },
      },
    };
    expect(await isBroken(projection, { crashes: [] })).to.equal(true);
  });

  it('is broken by a projection that counts beside its documents', async () => {
    let count = 0;
    const projection: Projection<DomainEvent> = {
      name: 'calls',
      version: 1,
      collections: [calls],
      decode: decodeDomainEvent,
      handlers: {
        PostingSaved: (_event, documents) => {
          documents.put(calls, 'only', { count: ++count });
        },
      },
    };
    expect(await isBroken(projection)).to.equal(true);
  });

  it('is kept whatever the order of the collections, as a commit stores all of them or none', async () => {
    const collections = [...postingCandidates.collections].reverse();
    const reversed: Projection = { ...postingCandidates, collections };
    expect(await isBroken(reversed)).to.equal(false);
  });

  it('is broken by a projection whose pages come out differently when a part of them was stored', async () => {
    const projection: Projection<DomainEvent> = {
      name: 'sums',
      version: 1,
      collections: [sums],
      decode: decodeDomainEvent,
      handlers: {
        PostingSaved(_event, documents) {
          if (!documents.get(sums, 'only')) documents.put(sums, 'only', { owner: 'all', count: 0 });
          documents.each(sums, 'owner', 'all', (id, doc) => documents.put(sums, id, { ...doc, count: doc.count + 1 }));
        },
      },
    };
    expect(await isBroken(projection, { maxDocuments: 1, crashes: [] })).to.equal(false);
    expect(await isBroken(projection, { maxDocuments: 1 })).to.equal(true);
  });
});
