import { setTimeout as delay } from 'node:timers/promises';
import { Absence } from './absence.ts';
import { decoder } from './domain/decode.ts';
import { eventDefinitions, type DomainEvent } from './domain/index.ts';
import { START, type Position, type RecordedEvent, type Revision } from './event-store/port.ts';
import { handlerOf, type Projection } from './projection.ts';
import { PoisonEvent, StoreFailure, type Poison } from './poison.ts';
import { LeaseLost, type Building, type ReadModelStore } from './read-models/port.ts';
import { UnitOfWork } from './unit-of-work.ts';

/** What is done about events that cannot be folded. */
export interface Quarantine {
  /** Whether an event of a stream waits. */
  readonly holds: (stream: string, revision: Revision) => boolean;
  /** An event that cannot be folded: from now on its stream waits. */
  readonly take: (poison: Poison) => void;
}

/** An event that is decoded when the first projection asks for it, and not again for the others. */
export interface FoldableEvent {
  readonly type: string;
  readonly position: Position;
  readonly stream: string;
  readonly revision: Revision;
  readonly event: () => DomainEvent | undefined;
}

const decode = decoder(eventDefinitions);

export const toFoldable = (recorded: RecordedEvent): FoldableEvent => {
  let event: DomainEvent | undefined;
  return {
    type: recorded.type,
    position: recorded.position,
    stream: recorded.stream,
    revision: recorded.revision,
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
  /** To be called when all events up to there were given to `build`: from then on `add` folds what comes after. */
  built(upTo: Position): void;
  /** Folds events of one stream that were left out, though others have been folded since. */
  addLate(events: readonly FoldableEvent[]): Promise<void>;
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

/** An event that cannot be folded is tried again a little later, in case it was the machine's fault. */
const ATTEMPTS = 3;
const PAUSE_MS = 10;

/** Fewer events are not worth another look. */
const LEAST_REHEARSED = 10;
const REHEARSALS = 2;

/**
 * A failed fold is of no use any more: begin another one at the checkpoint.
 *
 * @param after.isEmpty whether nothing is stored yet
 * @param after.quarantine left out: an event that cannot be folded stops the fold with PoisonEvent
 * @param before what is still on its way into the store, well or not
 */
export const createFold = (
  readModels: ReadModelStore,
  projection: Projection,
  after: {
    readonly position: Position;
    readonly isEmpty: boolean;
    readonly quarantine?: Quarantine | undefined;
  },
  before: Promise<void> = Promise.resolve(),
): Fold => {
  const documents = new UnitOfWork(readModels, after.isEmpty ? new Absence() : undefined);
  let { position } = after;
  const { quarantine } = after;
  let storing = before.catch(() => undefined);
  /** Reads ahead what the events need, and then what they need because of that. */
  const prepare = async (events: readonly FoldableEvent[]): Promise<void> => {
    if (events.length < LEAST_REHEARSED) return;
    let handlers: readonly (() => Promise<void>)[] = events.map((each) => () => handleEach(each, position));
    for (let round = 0; round < REHEARSALS; round++) handlers = await documents.rehearse(handlers);
  };
  const handleEach = async (each: FoldableEvent, at: Position): Promise<void> => {
    const handle = handlerOf(projection, each.type);
    const event = handle && each.event();
    if (!event) return;
    documents.position = at;
    await handle(event, documents);
  };
  const poisonIn = ({ stream, revision, position: at, type }: FoldableEvent, error: unknown): Poison => ({
    stream,
    revision,
    position: at,
    type,
    error: error instanceof Error ? error : new Error(String(error)),
  });
  const apply = async (each: FoldableEvent, at: Position): Promise<void> => {
    if (quarantine?.holds(each.stream, each.revision) === true) return;
    for (let attempts = 1; ; attempts++)
      try {
        await documents.attempt(() => handleEach(each, at));
        return;
      } catch (error) {
        if (error instanceof StoreFailure) throw error.cause instanceof Error ? error.cause : error;
        const poison = poisonIn(each, error);
        if (!quarantine) throw new PoisonEvent(poison);
        if (attempts === ATTEMPTS) {
          quarantine.take(poison);
          return;
        }
        await delay(PAUSE_MS * attempts);
      }
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
    async addLate(events) {
      documents.isGuarded = false;
      try {
        for (const each of events) await apply(each, position);
      } finally {
        documents.isGuarded = true;
      }
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
