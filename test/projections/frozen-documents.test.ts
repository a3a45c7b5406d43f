import { createHash } from 'node:crypto';
import { expect } from 'chai';
import { projections } from '../../projections/index.ts';
import type { ReadModelStore } from '../../src/read-models/port.ts';
import { seedWorld } from '../../src/tools/seed/seed.ts';
import { LONG_MS, newStage } from '../support/projector-stage.ts';

/**
 * A hash of all documents of a seeded world, by the previous version of the code: projections of unchanged version must
 * make the same documents, byte for byte. It changes with a projection's version, or with the world.
 */
const FROZEN = '11a53123403948106cfef44c4a75652c344d6ab95f67d907c911aac2ef328ea5';

const hashOf = async (readModels: ReadModelStore): Promise<string> => {
  const hash = createHash('sha256');
  for (const { collections } of projections)
    for (const collection of collections)
      for (const { id, text } of await readModels.scan(collection, '', 100_000))
        hash.update(`${collection.name} ${id} ${text}\n`);
  return hash.digest('hex');
};

describe('The documents of a seeded world', () => {
  it('are byte for byte as they were when they were frozen', async () => {
    const stage = newStage();
    const { eventStore } = stage;
    await seedWorld({ eventStore, options: { seed: 5, candidates: 200 } });
    const projector = await stage.start(projections);
    const names = projections.map(({ name }) => name);
    expect(await projector.reached(names, await eventStore.head(), LONG_MS)).to.equal(true);
    expect(await hashOf(stage.readModels)).to.equal(FROZEN);
    await stage.end();
  });
});
