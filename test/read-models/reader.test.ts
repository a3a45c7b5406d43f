import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import fc from 'fast-check';
import { openEmbeddedReadModelsReader } from '../../src/read-models/embedded/reader.ts';
import { openEmbeddedReadModels } from '../../src/read-models/embedded/read-models.ts';
import { checkpointAt } from '../support/checkpoints.ts';
import {
  defineCollection,
  type FindQuery,
  type ReadModels,
  type ReadModelStore,
  type ValidityFlag,
  type DocumentWrite,
} from '../../src/read-models/port.ts';

interface Note {
  readonly owner: string;
  readonly rank: number;
  readonly text: string | null;
}
const notes = defineCollection<Note>({ name: 'reader_notes', partition: 'owner', indexes: [['owner']] });
const counts = defineCollection<{ readonly count: number }>({ name: 'reader_counts', partition: 'id', indexes: [] });
const projection = { name: 'reader', version: 1, collections: [notes, counts] };

const owners = ['ann', 'bob'];
/** A note keeps its owner, and so its partition. */
const writes = fc.array(
  fc.record({
    number: fc.nat({ max: 7 }),
    doc: fc.option(fc.record({ rank: fc.nat({ max: 2 }), text: fc.constantFrom(null, 'x', 'Xy', '\uFF21', '😀') })),
  }),
  { maxLength: 6 },
);
const finds: readonly FindQuery<Note>[] = owners.flatMap((owner): FindQuery<Note>[] => [
  { filter: { owner } },
  { filter: { owner, rank: 1 }, order: [['text', 'descending']] },
  { filter: { owner, rank: { in: [0, 2] } }, order: [['rank', 'descending']], skip: 1, limit: 2 },
  { filter: { owner, text: { contains: 'x' } }, order: [['text', 'ascending']], limit: 3 },
]);

/** A find across partitions. */
const beside: FindQuery<Note> = { filter: { rank: 1 } };

const isCurrent = (validity: ValidityFlag): boolean => validity.isCurrent;

/** Breaks ties by id, as stores may order them differently. */
const byId = ({ order = [], ...rest }: FindQuery<Note>): FindQuery<Note> => ({
  ...rest,
  order: [...order, ['id', 'ascending']],
});

describe('The reader of the embedded read models', () => {
  let directory: string;
  let store: ReadModelStore;
  let reader: ReturnType<typeof openEmbeddedReadModelsReader>;
  beforeEach(async () => {
    directory = await mkdtemp(join(tmpdir(), 'reader-'));
    const file = join(directory, 'read-models.db');
    store = openEmbeddedReadModels(file);
    reader = openEmbeddedReadModelsReader(file);
  });
  afterEach(async () => {
    await reader.close();
    await store.close();
    await rm(directory, { recursive: true, force: true });
  });

  it('gives what is stored, whatever was stored, deleted and read before', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(writes, { minLength: 1, maxLength: 8 }), async (rounds) => {
        await store.prepare(projection);
        await store.reset(projection);
        reader.refresh('all');
        const read: { readonly seen: unknown; readonly now: () => unknown; readonly isCurrent: () => boolean }[] = [];
        /** Reads; while the result counts as current, a read of the store itself must give the same. */
        const track = async (look: (from: ReadModels) => Promise<unknown>) => {
          const { readModels, validities } = reader.track();
          const seen = await look(readModels);
          read.push({ seen, now: () => look(store), isCurrent: () => [...validities].every(isCurrent) });
          expect(read.at(-1)?.isCurrent()).to.equal(true);
        };
        for (const [round, some] of rounds.entries()) {
          const position = String(round + 1);
          const stored = some.map(({ number, doc }): DocumentWrite => {
            const owner = owners[number % 2] ?? '';
            // A deletion may not know the partition of its document.
            const partition = number < 3 ? undefined : owner;
            const id = `n${number}`;
            return { collection: notes, id, doc: doc && { owner, ...doc }, partition };
          });
          const count = { collection: counts, id: 'all', doc: { count: round } };
          await store.commit(projection, [...stored, count], checkpointAt(position));
          const touched = stored.map(({ id, doc, partition }) => ({
            id,
            partition: doc && 'owner' in doc ? String(doc.owner) : (partition ?? null),
          }));
          reader.refresh(
            new Map([
              // For many changes the reader learns only that any document may have changed.
              [notes.name, touched.length > 4 ? 'all' : touched],
              [counts.name, [{ id: 'all', partition: 'all' }]],
            ]),
          );
          for (const { seen, now, isCurrent } of read) if (isCurrent()) expect(seen).to.deep.equal(await now());
          for (const find of [...finds, beside].map(byId)) {
            await track((from) => from.find(notes, find));
            await track((from) => from.count(notes, find.filter));
          }
          await track((from) => from.get(counts, 'all'));
          await track((from) => from.get(notes, 'n1'));
          for (const find of finds.map(byId)) {
            expect(await reader.find(notes, find)).to.deep.equal(await store.find(notes, find));
            expect(await reader.count(notes, find.filter)).to.equal(await store.count(notes, find.filter));
          }
          expect(await reader.get(counts, 'all')).to.deep.equal(await store.get(counts, 'all'));
          expect(await reader.get(notes, 'n1')).to.deep.equal(await store.get(notes, 'n1'));
        }
      }),
      { numRuns: 60 },
    );
  });

  it('tells what is no longer as it was read, and of no more', async () => {
    await store.prepare(projection);
    await store.commit(projection, [], checkpointAt('1'));
    const put = async (owner: string, position: string) => {
      const doc = { owner, rank: Number(position), text: null };
      await store.commit(projection, [{ collection: notes, id: owner, doc }], checkpointAt(position));
      reader.refresh(new Map([[notes.name, [{ id: owner, partition: owner }]]]));
    };
    const trackNotes = async (filter: FindQuery<Note>['filter']) => {
      const { readModels, validities } = reader.track();
      await readModels.find(notes, { filter });
      return () => [...validities].every(isCurrent);
    };
    const [ann, bob, all] = [
      await trackNotes({ owner: 'ann' }),
      await trackNotes({ owner: 'bob' }),
      await trackNotes({ rank: 1 }),
    ];
    const which = () => [ann(), bob(), all()];
    expect(which()).to.deep.equal([true, true, true]);
    await put('ann', '1');
    expect(which()).to.deep.equal([false, true, false]);
    reader.refresh('all');
    expect(which()).to.deep.equal([false, false, false]);
  });

  it('does not fail when it is told of a change of what was dropped since; who reads it is told', async () => {
    const doc = { owner: 'ann', rank: 1, text: null };
    await store.prepare(projection);
    await store.commit(projection, [{ collection: notes, id: 'n', doc }], checkpointAt('1'));
    expect(await reader.find(notes, { filter: { owner: 'ann' } })).to.have.length(1);
    await store.drop(projection.name);
    reader.refresh('all');
    reader.refresh(new Map([[notes.name, [{ id: 'n', partition: 'ann' }]]]));
    const found = await (async () => reader.find(notes, { filter: { owner: 'ann' } }))().catch(String);
    expect(found).to.match(/The collection reader_notes is not built/);
  });
});
