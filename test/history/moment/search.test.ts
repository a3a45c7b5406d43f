import { expect } from 'chai';
import fc from 'fast-check';
import { hasReferenceTo, categoriesByEntityKind } from '../../../src/domain/entity.ts';
import { START_POSITION, type RecordedEvent } from '../../../src/event-store/port.ts';
import { searchEvents, collectLastEvents, type EventFilter } from '../../../src/history/moment/search.ts';
import { logOf } from '../../projections/applying.ts';
import { choices, histories, interleave } from '../../support/history.ts';
import { indexOf, logWith } from '../moment/stage.ts';
import { ids } from '../streams.ts';

const entities = fc.oneof(
  fc.record({ kind: fc.constant('professional' as const), id: fc.constantFrom(...ids.professionals) }),
  fc.record({ kind: fc.constant('posting' as const), id: fc.constantFrom(...ids.postings) }),
  fc.record({ kind: fc.constant('office' as const), id: fc.constantFrom(...ids.offices) }),
  fc.record({ kind: fc.constant('user' as const), id: fc.constantFrom(...ids.users) }),
);
const filters: fc.Arbitrary<EventFilter> = fc.record(
  {
    types: fc.subarray(['CandidateApplied', 'PostingSaved', 'ReviewPosted', 'ProfessionalRecorded'], { minLength: 1 }),
    stream: fc.constantFrom('posting-constructor', 'savedPostings-professional-3', 'office-none'),
    entity: entities,
    actor: fc.constantFrom('user-a', 'key:directory'),
    where: fc.constantFrom([{ path: ['postingId'], value: 'posting-3' }]),
  },
  { requiredKeys: [] },
);

/** The filter as a sentence of docs/history.md says it. */
const isMeant = (filter: EventFilter, { type, stream, metadata, data }: RecordedEvent): boolean => {
  const { types, entity, actor, where = [] } = filter;
  const own = entity && categoriesByEntityKind[entity.kind].map((category) => `${category}-${entity.id}`);
  return (
    (!types || types.includes(type)) &&
    (filter.stream === undefined || filter.stream === stream) &&
    (!entity || own?.includes(stream) === true || hasReferenceTo(data, entity)) &&
    (actor === undefined || metadata['actor'] === actor) &&
    where.every(({ path: [name = ''], value }) => Object.hasOwn(data, name) && data[name] === value)
  );
};

const { signal } = new AbortController();
const share = fc.integer({ min: 0, max: 1_000 });

describe('A search of the history', () => {
  it('finds what a filter of the whole event log finds, whether the index is ahead or behind', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.tuple(histories, choices).map(([history, order]) => logOf(interleave(history, order)).events),
        filters,
        fc.tuple(share, share, share),
        async (events, filter, shares) => {
          const [one, other, indexed] = shares.map((each) => Math.round((events.length * each) / 1_000));
          const [first = 0, last = 0] = [one ?? 0, other ?? 0].sort((a, b) => a - b);
          const [after, upTo] = [first, last].map((count) => events[count - 1]?.position ?? START_POSITION);
          const source = { log: logWith(events), index: indexOf(events.slice(0, indexed)) };
          const part = { after: after ?? START_POSITION, upTo: upTo ?? START_POSITION };
          const found = await collectLastEvents(searchEvents(source, filter, part, signal), 10_000);
          expect(found.toReversed()).to.deep.equal(events.slice(first, last).filter((event) => isMeant(filter, event)));
        },
      ),
      { numRuns: 300 },
    );
  });
});

describe('The last events of a search', () => {
  const found = async function* () {
    await Promise.resolve();
    yield* ['1', '2', '3'].map((position): RecordedEvent => ({
      position,
      ...{ stream: 's', revision: 0, id: position, type: 'T', version: 1, data: {}, metadata: {} },
    }));
  };
  const lastPositions = async (most: number) =>
    (await collectLastEvents(found(), most)).map(({ position }) => position).join();

  it('come with the newest first', async () => {
    expect(await lastPositions(2)).to.equal('3,2');
  });

  it('are all where they are not more', async () => {
    expect(await lastPositions(3)).to.equal('3,2,1');
  });
});
