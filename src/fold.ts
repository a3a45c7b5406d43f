import { Absence } from './absence.ts';
import { decoder } from './domain/decode.ts';
import { eventDefinitions, type DomainEvent } from './domain/index.ts';
import { START, type Position, type RecordedEvent } from './event-store/port.ts';
import { handlerOf, type Projection } from './projection.ts';
import { LeaseLost, type Building, type ReadModelStore } from './read-models/port.ts';
import { UnitOfWork } from './unit-of-work.ts';

/** An event that is decoded when the first projection asks for it, and not again for the others. */
export interface FoldableEvent {
  readonly type: string;
  readonly position: Position;
  readonly event: () => DomainEvent | undefined;
}

const decode = decoder(eventDefinitions);

export const toFoldable = (recorded: RecordedEvent): FoldableEvent => {
  let event: DomainEvent | undefined;
  return {
    type: recorded.type,
    position: recorded.position,
    event: () => (event ??= decode(recorded)),
  };
};

/** One projection's way through the log. */
export interface Fold {
  /** How many documents wait to be stored. */
  waiting(): number;
  /** Where the log was folded up to. */
  position(): Position;
  /** Folds a part of the log into documents in memory; leaves out what it has folded already. */
  add(events: readonly FoldableEvent[], upTo: Position): Promise<void>;
  /**
   * Folds some of the events up to a position, from nothing. Only each stream's own order counts: what a projection
   * shows in the end does not depend on how the streams lie between each other.
   */
  build(events: readonly FoldableEvent[], upTo: Position): Promise<void>;
  /** To be called when all of them were. */
  built(upTo: Position): void;
  /**
   * Commits the documents and, unless they are still being built, the checkpoint. Resolves when that is under way, so that
   * folding goes on meanwhile, and rejects when the commit before has failed.
   *
   * @param how.isOurs whether the lease still is the one that this fold began with; asked when it is this commit's turn
   * @param how.building how far it is built
   */
  commit(
    log: string,
    how?: { readonly isOurs?: () => boolean; readonly building?: Building | undefined },
  ): Promise<void>;
  /** Resolves when all that was committed is stored. */
  settled(): Promise<void>;
}

/** Fewer events are not worth another look. */
const LEAST_REHEARSED = 10;
const REHEARSALS = 2;

/**
 * A failed fold is of no use any more: begin another one at the checkpoint.
 *
 * @param after.isEmpty whether nothing is stored yet
 * @param before what is still on its way into the store, well or not
 */
export const createFold = (
  readModels: ReadModelStore,
  projection: Projection,
  after: { readonly position: Position; readonly isEmpty: boolean },
  before: Promise<void> = Promise.resolve(),
): Fold => {
  const documents = new UnitOfWork(readModels, after.isEmpty ? new Absence() : undefined);
  let { position } = after;
  let storing = before.catch(() => undefined);
  /** Reads ahead what the events need, and then what they need because of that. */
  const prepare = async (events: readonly FoldableEvent[]): Promise<void> => {
    if (events.length < LEAST_REHEARSED) return;
    const handlers = events.map((each) => () => apply(each, position));
    for (let round = 0; round < REHEARSALS; round++) if (!(await documents.rehearse(handlers))) return;
  };
  const apply = async (each: FoldableEvent, at: Position) => {
    const handle = handlerOf(projection, each.type);
    const event = handle && each.event();
    if (!event) return;
    documents.position = at;
    await handle(event, documents);
  };

  return {
    waiting: () => documents.size,
    position: () => position,
    async add(events, upTo) {
      const newer = events.filter((each) => each.position > position);
      await prepare(newer);
      for (const each of newer) await apply(each, each.position);
      if (upTo > position) position = upTo;
    },
    async build(events, upTo) {
      documents.isGuarded = false;
      for (const each of events) await apply(each, upTo);
    },
    built(upTo) {
      documents.isGuarded = true;
      position = upTo;
    },
    async commit(log, { isOurs = () => true, building } = {}) {
      await storing;
      if (!isOurs()) throw new LeaseLost();
      const checkpoint =
        position === START && !building ? undefined : { position, log, ...(building && { building }) };
      storing = readModels.commit(projection, documents.take(projection.collections), checkpoint);
      storing = storing.then(() => documents.stored());
      // Whoever awaits it next is told.
      storing.catch(() => undefined);
    },
    settled: () => storing,
  };
};
