import { expect } from 'chai';
import { decodeDomainEvent } from '../../src/domain/index.ts';
import { toBuildProjection, collectionMapperOf } from '../../src/projector/build-projection.ts';
import { differingFields } from '../../src/builds/differences.ts';
import { isProvenSame } from '../../src/builds/build-schema.ts';
import { verifyBuild } from '../../src/builds/verify.ts';
import type { Projection } from '../../src/projector/projection.ts';
import { defineCollection, type ReadModelStore } from '../../src/read-models/port.ts';
import { checkpointAt } from '../support/checkpoints.ts';
import { openMemoryReadModels } from '../support/memory-stores.ts';
import { NOW } from '../support/build-records.ts';

interface Row {
  readonly title: string;
  readonly tags?: readonly string[];
}
const rows = defineCollection<Row>({ name: 'rows', partition: 'id', indexes: [] });
const lists: Projection = { name: 'lists', version: 1, collections: [rows], decode: decodeDomainEvent, handlers: {} };
const builds = { active: 'lists@1.1', built: 'lists@1.2' };
const [active, built] = [toBuildProjection(lists, builds.active), toBuildProjection(lists, builds.built)];
const ownRows = { active: collectionMapperOf(builds.active)(rows), built: collectionMapperOf(builds.built)(rows) };

describe('comparing two builds', () => {
  let store: ReadModelStore;
  beforeEach(async () => {
    store = openMemoryReadModels();
    await store.prepare(active);
    await store.prepare(built);
  });

  const put = async (which: 'active' | 'built', docs: Readonly<Record<string, Row>>, position = '5') => {
    const writes = Object.entries(docs).map(([id, doc]) => ({ collection: ownRows[which], id, doc }));
    await store.commit(which === 'active' ? active : built, writes, checkpointAt(position));
  };
  /** Stores a document of the next event, and not yet the whole event. */
  const putPart = (which: 'active' | 'built', id: string, doc: Row | null) =>
    store.commit(
      which === 'active' ? active : built,
      [{ collection: ownRows[which], id, doc }],
      checkpointAt('5', { isBetween: true }),
    );
  const compare = (of: ReadModelStore = store, signal = new AbortController().signal) =>
    verifyBuild(of, lists, builds, { now: () => NOW, signal });
  const rowsFrom = (count: number, title: string) =>
    Object.fromEntries(Array.from({ length: count }, (_, index) => [`r${index}`, { title }] as const));

  it('finds the same documents the same, in whatever order their members are', async () => {
    await put('active', { a: { title: 'A', tags: ['x'] }, b: { title: 'B' } });
    await put('built', { b: { title: 'B' }, a: { tags: ['x'], title: 'A' } });
    expect(await compare()).to.include({ at: NOW, position: '5', live: 2, built: 2, total: 0 });
  });

  it('names each document that differs, and the members', async () => {
    await put('active', { a: { title: 'A', tags: ['x', 'y'] }, b: { title: 'B' } });
    await put('built', { a: { title: 'A', tags: ['x', 'z'] }, b: { title: 'B' } });
    expect((await compare()).differences).to.deep.equal([
      { collection: 'rows', id: 'a', isIn: 'both', fields: [{ path: 'tags.1', live: '"y"', built: '"z"' }] },
    ]);
  });

  it('has hashes, for clients of earlier versions, that are the same where the documents are', async () => {
    const areSame = async () => {
      const { liveHash, builtHash } = await compare();
      return liveHash === builtHash;
    };
    await put('built', {});
    await put('active', { a: { title: 'A' } });
    expect(await areSame()).to.equal(false);
    await put('built', { a: { title: 'A' } });
    expect(await areSame()).to.equal(true);
  });

  it('names documents that only one of them has', async () => {
    await put('active', { a: { title: 'A' }, m: { title: 'M' } });
    await put('built', { m: { title: 'M' }, z: { title: 'Z' } });
    expect((await compare()).differences.map(({ id, isIn }) => `${id} ${isIn}`)).to.deep.equal(['a live', 'z built']);
  });

  it('tells the first twenty, and how many there are in all', async () => {
    await put('active', rowsFrom(1_200, 'live'));
    await put('built', rowsFrom(1_200, 'built'));
    const report = await compare();
    expect(report.total).to.equal(1_200);
    expect(report.differences).to.have.length(20);
  });

  it('pairs ids by code point, whatever they are', async () => {
    const ids = Object.fromEntries(['😀', '\uffee', 'é', 'a', 'Z'].map((id) => [id, { title: id }] as const));
    await put('active', ids);
    await put('built', ids);
    expect(await compare()).to.include({ live: 5, built: 5, total: 0 });
  });

  it('does not take for a difference what only one of them has applied yet', async () => {
    // Given an active build that is one event ahead
    await put('active', { a: { title: 'new' } }, '6');
    await put('built', { a: { title: 'old' } }, '5');
    // When the standby build applies that event during the comparison
    let looks = 0;
    const moving: ReadModelStore = {
      ...store,
      async checkpointOf(name) {
        if (++looks === 5) await put('built', { a: { title: 'new' } }, '6');
        return store.checkpointOf(name);
      },
    };
    // Then
    expect(await compare(moving)).to.include({ position: '6', total: 0 });
  });

  it('does not take for a difference what only one of them has stored of an event in parts', async () => {
    // Given a build that holds a part of the next event's documents
    await put('active', { a: { title: 'old' } }, '5');
    await put('built', { a: { title: 'old' } }, '5');
    await putPart('built', 'a', { title: 'new' });
    // When both builds complete that event during the comparison
    let looks = 0;
    const moving: ReadModelStore = {
      ...store,
      async checkpointOf(name) {
        if (++looks === 9) {
          await put('active', { a: { title: 'new' } }, '6');
          await store.commit(built, [], checkpointAt('6'));
        }
        return store.checkpointOf(name);
      },
    };
    // Then
    expect(await compare(moving)).to.include({ position: '6', total: 0 });
  });

  it('does not take for a difference what only one of them has deleted as a part of an event', async () => {
    await put('active', { a: { title: 'old' }, b: { title: 'B' } });
    await put('built', { a: { title: 'old' }, b: { title: 'B' } });
    await putPart('built', 'a', null);
    // When the standby build deletes the document too, after it was seen to differ
    let looks = 0;
    const moving: ReadModelStore = {
      ...store,
      async checkpointOf(name) {
        if (++looks === 5) {
          const gone = [{ collection: ownRows.active, id: 'a', doc: null }];
          await store.commit(active, gone, checkpointAt('6'));
          await store.commit(built, [], checkpointAt('6'));
        }
        return store.checkpointOf(name);
      },
    };
    // Then
    expect(await compare(moving)).to.include({ position: '6', live: 1, built: 1, total: 0 });
  });

  it('counts apart, and not as differing, what never stood at one position in both builds', async () => {
    await put('active', { a: { title: 'new' }, b: { title: 'B' } }, '6');
    await put('built', { a: { title: 'old' }, b: { title: 'B' } }, '5');
    const { signal } = new AbortController();
    const report = await verifyBuild(store, lists, builds, { now: () => NOW, signal, settleMs: 0 });
    expect(report).to.include({ live: 2, built: 2, total: 0, uncompared: 1 });
    expect([report.differences, isProvenSame(report)]).to.deep.equal([[], false]);
  });

  it('ends when it is to stop', async () => {
    await put('active', { a: { title: 'A' } });
    const [outcome] = await Promise.allSettled([compare(store, AbortSignal.abort(new Error('stop')))]);
    expect(outcome).to.have.nested.property('reason.message', 'stop');
  });
});

describe('differing members', () => {
  it('are told by path, with what is there, and what is not', () => {
    expect(differingFields({ a: { b: [1, { c: 2 }] }, d: 1 }, { a: { b: [1, { c: 3 }] }, e: null })).to.deep.equal([
      { path: 'a.b.1.c', live: '2', built: '3' },
      { path: 'd', live: '1', built: 'nothing' },
      { path: 'e', live: 'nothing', built: 'null' },
    ]);
  });

  it('are the whole where a list stands for an object', () => {
    expect(differingFields({ a: [] }, { a: {} })).to.deep.equal([{ path: 'a', live: '[]', built: '{}' }]);
    expect(differingFields([], {})).to.deep.equal([{ path: '(all)', live: '[]', built: '{}' }]);
  });

  it('are told whatever they are called', () => {
    const live: unknown = JSON.parse('{"constructor": {"toString": 1}, "__proto__": 2}');
    expect(differingFields(live, {})).to.deep.equal([
      { path: 'constructor', live: '{"toString":1}', built: 'nothing' },
      { path: '__proto__', live: '2', built: 'nothing' },
    ]);
  });

  it('are cut where they are long or many', () => {
    const [first] = differingFields({ a: 'x'.repeat(1_000) }, { a: '' });
    expect(first?.live).to.have.length(201);
    const many = Object.fromEntries(Array.from({ length: 50 }, (_, index) => [`m${index}`, index]));
    expect(differingFields(many, {})).to.have.length(20);
  });
});
