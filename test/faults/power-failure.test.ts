import { cpSync, mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { createProjectionOperations } from '../../src/builds/operations.ts';
import type { EventStore } from '../../src/event-store/port.ts';
import { openEmbeddedBuildRegistry } from '../../src/builds/embedded-registry.ts';
import { readEmbeddedCheckpoints } from '../support/embedded-checkpoints.ts';
import { openEmbeddedReadModels } from '../../src/read-models/embedded/read-models.ts';
import { collectionMapperOf } from '../../src/projector/build-projection.ts';
import { eventually } from '../support/eventually.ts';
import { openMemoryEventStore } from '../support/memory-stores.ts';
import { metadata } from '../support/examples.ts';
import { now, officeNames, offices } from '../support/quarantine-stage.ts';
import { startReconciler } from '../support/running-reconciler.ts';
import { directoryForEach } from '../support/files.ts';

/** The file that is synced at every commit; read-models.db is not. */
const SYNCED = 'projections.db';

describe('A power failure that takes the last commits of read-models.db', () => {
  const directory = directoryForEach('power-');
  let eventStore: EventStore;
  beforeEach(() => {
    eventStore = openMemoryEventStore();
    mkdirSync(join(directory(), 'data'));
  });

  const data = () => join(directory(), 'data');
  const file = () => join(data(), 'read-models.db');
  let revision = -1;
  const record = async (officeName: string) => {
    const content = { officeId: 'a', officeName, address: [], officeInfo: null };
    const event = { id: officeName, type: 'OfficeRecorded', version: 1, data: content, metadata };
    await eventStore.append({ stream: 'office-a', expectedRevision: revision++, events: [event] });
  };

  for (const kind of ['retry', 'skip'] as const)
    it(`does not undo a ${kind}: it is done again, once`, async () => {
      // Given a parked stream, as it was synced
      revision = -1;
      const names = [`one ${kind}`, `bad ${kind}`, `three ${kind}`];
      let isBroken = true;
      const { projection } = officeNames((name) => isBroken && name.startsWith('bad'));
      const open = async () => {
        const registry = openEmbeddedBuildRegistry(join(data(), SYNCED));
        const readModels = openEmbeddedReadModels(file());
        const reconciling = await startReconciler({ registry, eventStore, readModels, projections: [projection] });
        return {
          readModels,
          operations: createProjectionOperations(
            registry,
            [projection],
            () => Promise.resolve(readEmbeddedCheckpoints(file())),
            () => now,
          ),
          async close() {
            await reconciling.stop();
            await readModels.close();
            await registry.close();
          },
        };
      };
      const own = collectionMapperOf(`${projection.name}@1.1`)(offices);
      type Opened = Awaited<ReturnType<typeof open>>;
      const shown = async ({ readModels }: Opened) => (await readModels.get(own, 'a'))?.doc.names;
      const shows = (opened: Opened, expected: readonly string[]) =>
        eventually(`it shows ${expected.join()}`, async () => String(await shown(opened)) === String(expected));
      for (const name of names) await record(name);
      let one = await open();
      await eventually(
        'it is parked',
        async () => (await one.operations.parked()).get(`${projection.name}@1.1`)?.parked.length === 1,
      );
      await one.close();
      const saved = join(directory(), 'saved');
      cpSync(data(), saved, { recursive: true });

      // When it is released, and commits that were not synced are lost
      isBroken = kind === 'skip';
      one = await open();
      await one.operations[kind](projection.name, 'office-a');
      const after = names.filter((name) => kind === 'retry' || !name.startsWith('bad'));
      await shows(one, after);
      await one.close();
      cpSync(join(data(), SYNCED), join(saved, SYNCED));
      rmSync(data(), { recursive: true });
      cpSync(saved, data(), { recursive: true });

      // Then
      await record(`four ${kind}`);
      one = await open();
      await shows(one, [...after, `four ${kind}`]);
      expect((await one.operations.parked()).get(`${projection.name}@1.1`)?.parked).to.deep.equal([]);
      await one.close();
    });
});
