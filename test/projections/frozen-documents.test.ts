import { createHash } from 'node:crypto';
import { expect } from 'chai';
import { projections } from '../../projections/index.ts';
import type { Projection } from '../../src/projector/projection.ts';
import type { ReadModelStore } from '../../src/read-models/port.ts';
import { seedWorld } from '../../src/tools/seed/seed.ts';
import { LONG_MS, newStage } from '../support/projector-stage.ts';

/**
 * Hashes of the documents of a seeded world. A projection of the same version makes the same documents, byte for byte,
 * as services have them stored: where a hash changes, so does the version in its name, unless the world has changed.
 */
const FROZEN: Readonly<Record<string, string>> = {
  'entity-streams@1': '66c06c6c308d9b62',
  'posting-candidates@3': 'c708286656c27174',
  'professional-candidates@3': '377917d2449d6cec',
  'professional-profiles@1': 'b844163c18759f59',
  'saved-postings@2': '6b9a1ebe8c5fbf27',
  'specialties@1': '0fb426d0530173eb',
};

const hashOf = async ({ name, collections }: Projection, readModels: ReadModelStore): Promise<string> => {
  const documents: string[] = [];
  for (const collection of collections)
    for (const { id, text } of await readModels.scan(collection, '', 100_000))
      documents.push(`${collection.name} ${id} ${text}\n`);
  expect(documents, `documents of ${name}: src/tools/seed makes the events`).to.not.have.length(0);
  return createHash('sha256').update(documents.join('')).digest('hex').slice(0, 16);
};

describe('The documents of a seeded world', () => {
  it('are byte for byte as they were when they were frozen', async () => {
    const stage = newStage();
    const { eventStore } = stage;
    await seedWorld({ eventStore, options: { seed: 5, candidates: 200 } });
    const projector = await stage.start(projections);
    const names = projections.map(({ name }) => name);
    expect(await projector.reached(names, await eventStore.head(), LONG_MS)).to.equal(true);
    const hashes: Record<string, string> = {};
    for (const projection of projections)
      hashes[`${projection.name}@${projection.version}`] = await hashOf(projection, stage.readModels);
    expect(hashes).to.deep.equal(FROZEN);
    await stage.end();
  });
});
