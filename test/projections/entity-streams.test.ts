import { expect } from 'chai';
import fc from 'fast-check';
import { entityStreams, streamNameIn, entityStreamsCollection } from '../../projections/entity-streams.ts';
import {
  entityKinds,
  entityKeyOf,
  hasReferenceTo,
  referenceMembersByKind,
  categoriesByEntityKind,
} from '../../src/domain/entity.ts';
import { deciders } from '../../src/domain/index.ts';
import { openMemoryReadModels } from '../support/memory-stores.ts';
import { choices, histories, interleave } from '../support/history.ts';
import { ids } from '../history/streams.ts';
import { applyLog, logOf } from './applying.ts';

const entities = [
  ...ids.professionals.map((id) => ({ kind: 'professional', id }) as const),
  ...ids.postings.map((id) => ({ kind: 'posting', id }) as const),
  ...ids.offices.map((id) => ({ kind: 'office', id }) as const),
  ...ids.users.map((id) => ({ kind: 'user', id }) as const),
  ...ids.specialties.map((id) => ({ kind: 'specialty', id }) as const),
];

describe('The streams of an entity', () => {
  it('are those that a scan of the event log finds, beside those named by its id', async () => {
    await fc.assert(
      fc.asyncProperty(histories, choices, fc.constantFrom(...entities), async (history, order, entity) => {
        const log = logOf(interleave(history, order));
        const readModels = openMemoryReadModels();
        await applyLog(readModels, entityStreams, log);
        const found = await readModels.find(entityStreamsCollection, { filter: { entity: entityKeyOf(entity) } });
        const own = categoriesByEntityKind[entity.kind].map((category) => `${category}-${entity.id}`);
        const scanned = log.events.filter(({ data }) => hasReferenceTo(data, entity)).map(({ stream }) => stream);
        expect([...own, ...found.map(streamNameIn)]).to.include.members(scanned);
        expect(scanned).to.include.members(found.map(streamNameIn));
      }),
      { numRuns: 200 },
    );
  });

  /** Types whose streams have named the same entities by an earlier event. */
  const naming = (members: readonly string[]): string[] =>
    entityKinds.filter((kind) => referenceMembersByKind[kind].some((member) => members.includes(member)));

  for (const { category, events } of deciders) {
    const applied = events.filter(({ type }) => type in entityStreams.handlers);
    const notedBy = new Set(applied.flatMap(({ data }) => naming(Object.keys(data.properties))));
    for (const { type, data } of events)
      it(`are noted where ${type} names them`, () => {
        const foreign = naming(Object.keys(data.properties)).filter(
          (kind) => !entityKinds.some((each) => each === kind && categoriesByEntityKind[each].includes(category)),
        );
        expect([...notedBy]).to.include.members(foreign);
      });
  }
});
