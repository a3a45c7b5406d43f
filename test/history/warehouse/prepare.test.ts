import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { specialtyDecider } from '../../../src/domain/specialty.ts';
import { maskBy } from '../../../src/history/moment/mask.ts';
import {
  throttleSource,
  warehouseSourceOf,
  type WarehouseSource,
} from '../../../src/history/warehouse/warehouse-source.ts';
import { estimateEventsToRead, planPreparation, prepareWarehouse } from '../../../src/history/warehouse/prepare.ts';
import { START_POSITION } from '../../../src/event-store/port.ts';
import { openConcurrentEventLog, type ConcurrentEventLog } from '../../../src/stores.ts';
import { bodies } from '../../support/examples.ts';
import { on, storeWith } from '../../support/facts.ts';
import { openLogHere } from '../../support/threads-here.ts';

const shownAs = maskBy('a secret for masks, thirty-two bytes or more');
const { signal } = new AbortController();

describe('The events that are read for a statement', () => {
  let directory: string;
  const logs: ConcurrentEventLog[] = [];
  beforeEach(async () => (directory = await mkdtemp(join(tmpdir(), 'hiring-prepare-'))));
  afterEach(async () => {
    for (const log of logs.splice(0)) await log.close();
    await rm(directory, { recursive: true });
  });

  /** An event log to which events of some streams are appended. */
  const logOf = async (name: string, streams: readonly string[]): Promise<WarehouseSource> => {
    const path = join(directory, name);
    const store = await openLogHere(path);
    const recorded = streams.map((specialtyId) =>
      on(specialtyDecider, specialtyId)({ type: 'SpecialtyRecorded', data: { specialtyId, ...bodies.specialty } }),
    );
    await storeWith(recorded, store);
    await store.close();
    const log = await openConcurrentEventLog({ kind: 'sqlite', path }, () => undefined);
    logs.push(log);
    return warehouseSourceOf(log, shownAs);
  };
  const asked = (...readModels: readonly string[]) => ({
    readModels: readModels.map((readModel) => ({ readModel, moment: undefined })),
    file: join(directory, 'warehouse.duckdb'),
    spillTo: join(directory, 'spill'),
    atPosition: undefined,
  });
  const toRead = async (source: WarehouseSource, ...readModels: readonly string[]) => {
    const preparation = asked(...readModels);
    return estimateEventsToRead(await planPreparation(source, preparation), preparation);
  };
  const copy = (source: WarehouseSource) => prepareWarehouse(source, asked(), { signal, onProgress: () => undefined });

  it('are all at first, then those that are new', async () => {
    const source = await logOf('events.db', ['s1', 's2']);
    expect(await toRead(source)).to.equal(2);
    await copy(source);
    expect(await toRead(source)).to.equal(0);
    expect(await toRead(await logOf('events.db', ['s3']))).to.equal(1);
  });

  it('are all where the statement names a read model', async () => {
    const source = await logOf('events.db', ['s1', 's2']);
    await copy(source);
    expect(await toRead(source, 'posting-candidates')).to.equal(2);
  });

  it('are all where the copy is of another event log', async () => {
    await copy(await logOf('events.db', ['s1', 's2']));
    expect(await toRead(await logOf('other.db', ['t1', 't2', 't3']))).to.equal(3);
  });

  it('are no more a second than are allowed', async () => {
    const source = await logOf('events.db', ['s1', 's2', 's3']);
    const range = { after: START_POSITION, upTo: await source.head() };
    const began = performance.now();
    for await (const _batch of throttleSource(source, 10).read(range, undefined, 3, signal));
    // Timers may fire a little early, and the shortest waits are skipped.
    expect(performance.now() - began).to.be.at.least(300 - 10);
  });
});
