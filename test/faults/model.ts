import { isDeepStrictEqual } from 'node:util';
import { projections } from '../../projections/index.ts';
import { START_POSITION, type EventLog, type Position, type RecordedEvent } from '../../src/event-store/port.ts';
import { Applier } from '../../src/projector/applier.ts';
import { toLazilyDecodedEvent } from '../../src/projector/apply-event.ts';
import type { Projection } from '../../src/projector/projection.ts';
import { openMemoryReadModels } from '../support/memory-stores.ts';

/** Documents by collection and id. */
export type Documents = Readonly<Record<string, Readonly<Record<string, unknown>>>>;

/** What read models must hold by the event log: applied in its order, in memory, without a projector. */
export interface Model {
  readonly at: (projection: Projection, position: Position) => Promise<Documents>;
}

/** Collection and id of the documents that differ. */
export const differing = (found: Documents, expected: Documents): string[] => {
  const names = new Set([...Object.keys(found), ...Object.keys(expected)]);
  return [...names].flatMap((name) => {
    const [a = {}, b = {}] = [found[name], expected[name]];
    return [...new Set([...Object.keys(a), ...Object.keys(b)])]
      .filter((id) => !isDeepStrictEqual(a[id], b[id]))
      .map((id) => `${name} ${id}`);
  });
};

const PAGE = 10_000;
/** More than any event touches, so that nothing is stored in parts. */
const MAX_DOCUMENTS = 1_000_000;

/** One projection's documents, advanced on demand. */
const createModelOf = (projection: Projection) => {
  const readModels = openMemoryReadModels();
  let applier: Applier | undefined;
  const position = (): Position => applier?.checkpoint.position ?? START_POSITION;
  return {
    position,
    async advance(events: readonly RecordedEvent[], to: Position): Promise<Documents> {
      if (!applier) {
        await readModels.prepare(projection);
        applier = new Applier({ readModels, projection, checkpoint: undefined, maxDocuments: MAX_DOCUMENTS });
      }
      const from = position();
      const isNext = (event: RecordedEvent): boolean => event.position > from && event.position <= to;
      await applier.add({ events: events.filter(isNext).map(toLazilyDecodedEvent), position: to });
      await applier.commit();
      await applier.settled();
      const documents = projection.collections.map(async (collection) => {
        const found = await readModels.find(collection, { filter: {} });
        return [collection.name, Object.fromEntries(found.map(({ id, doc }) => [id, doc]))] as const;
      });
      return Object.fromEntries(await Promise.all(documents));
    },
  };
};

export const createModel = (log: Pick<EventLog, 'readAll'>): Model => {
  const events: RecordedEvent[] = [];
  const models = new Map<string, ReturnType<typeof createModelOf>>();

  const readUpTo = async (position: Position): Promise<void> => {
    for (let last = events.at(-1)?.position ?? START_POSITION; last < position;) {
      const page = await log.readAll(last, PAGE);
      events.push(...page);
      const { position: next = last } = page.at(-1) ?? {};
      if (next === last) return;
      last = next;
    }
  };

  return {
    async at(projection, position) {
      await readUpTo(position);
      let model = models.get(projection.name);
      // The build that was switched to may be a little behind the one before.
      if (!model || model.position() > position) models.set(projection.name, (model = createModelOf(projection)));
      return model.advance(events, position);
    },
  };
};

/** All projections' documents at one position. */
export const modelOfAll = async (model: Model, position: Position): Promise<Documents> => {
  const parts: Documents[] = [];
  for (const projection of projections) parts.push(await model.at(projection, position));
  return Object.fromEntries(parts.flatMap((part) => Object.entries(part)));
};
