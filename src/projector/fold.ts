import { setImmediate } from 'node:timers/promises';
import { decoder } from '../domain/decode.ts';
import { eventDefinitions, type DomainEvent } from '../domain/index.ts';
import { START, type Mark, type Position, type RecordedEvent, type Revision } from '../event-store/port.ts';
import { createRetryOrPark } from './retry-or-park.ts';
import { createParking, type Parking } from './parking.ts';
import { fromStore } from './poison.ts';
import { handlerOf, type Projection } from './projection.ts';
import { LeaseLost, type Checkpoint, type ReadModelStore, type Write } from '../read-models/port.ts';
import { UnitOfWork, type StorePart } from './unit-of-work.ts';

/** An event that is decoded when the first projection asks for it, and not again for the others. */
export interface FoldableEvent {
  readonly id: string;
  readonly type: string;
  readonly position: Position;
  readonly stream: string;
  readonly revision: Revision;
  readonly event: () => DomainEvent | undefined;
}

const decode = decoder(eventDefinitions);

export const toFoldable = (recorded: RecordedEvent): FoldableEvent => {
  const { id, type, position, stream, revision } = recorded;
  let event: DomainEvent | undefined;
  return { id, type, position, stream, revision, event: () => (event ??= decode(recorded)) };
};

/** A part of the log, as far as a projection applies it. */
export interface FoldBatch {
  readonly events: readonly FoldableEvent[];
  readonly position: Position;
  /** The last event of the log up to there. */
  readonly last?: Mark | undefined;
}

/** One projection's way through the log. A failed one is of no use any more: begin another at what is stored. */
export interface Fold {
  /** How many documents wait to be stored. */
  waiting(): number;
  /** As it would be stored now. */
  checkpoint(): Checkpoint;
  /** How often it has stored something, or tried a part of a large event: grows as long as it comes on. */
  stored(): number;
  /** Applies a part of the log; leaves out what it has applied already. */
  add(batch: FoldBatch): Promise<void>;
  /** To be called when all that there is has been applied. */
  cameToEnd(): void;
  /** Notes that a record of another service was passed, where the subscription may go on. */
  passed(mark: Mark): void;
  /** Applies events of a parked stream, though others have been applied since. @param number of the release */
  release(stream: string, events: readonly FoldableEvent[], number: number): Promise<void>;
  /**
   * Commits the documents and the checkpoint. Resolves when that is under way, so that applying goes on meanwhile, and
   * rejects when the commit before has failed.
   */
  commit(): Promise<void>;
  /** Resolves when all that was committed is stored. */
  settled(): Promise<void>;
}

export interface FoldOptions {
  readonly readModels: ReadModelStore;
  readonly projection: Projection;
  /** As it is stored; undefined when nothing is. */
  readonly checkpoint: Checkpoint | undefined;
  /** So many documents are stored in one transaction, and few more. */
  readonly maxDocuments: number;
  /** Whether this fold still is the one that the projection is written by. */
  readonly isCurrent?: () => boolean;
  /** What is done about an event that cannot be applied; left out: it stops the fold with PoisonEvent. */
  readonly parking?: Parking | undefined;
}

/** How long events may keep the event loop to themselves: an embedded store answers at once. */
const BREATHE_AFTER_MS = 10;

export const NOTHING: Checkpoint = {
  position: START,
  last: null,
  passed: null,
  building: null,
  parked: [],
  isBuilt: false,
  isBetween: false,
};

export const createFold = (options: FoldOptions): Fold => {
  const { readModels, projection, maxDocuments, isCurrent = () => true } = options;
  const documents = new UnitOfWork(readModels, maxDocuments);
  let at: Checkpoint = options.checkpoint ?? NOTHING;
  const parking = createParking(at.parked, options.parking);
  const retryOrPark = createRetryOrPark(parking, options.parking !== undefined);
  let stored = 0;
  let breathedAt = performance.now();
  let storing = Promise.resolve();

  const checkpoint = (): Checkpoint => ({ ...at, parked: parking.all() });

  /** A record of others says nothing more once an event after it was seen. */
  const cameTo = (position: Position, last: Mark | null): void => {
    const passed = at.passed && at.passed.position > (last?.position ?? START) ? at.passed : null;
    at = { ...at, position, last, passed, isBetween: false };
  };

  const store = (writes: readonly Write[], upTo: Checkpoint): Promise<void> =>
    isCurrent() ? readModels.commit(projection, writes, upTo) : Promise.reject(new LeaseLost());

  const commit = async (): Promise<void> => {
    await storing;
    storing = store(documents.take(), checkpoint()).then(() => {
      documents.stored();
      stored++;
    });
    // The caller that awaits it next is told.
    storing.catch(() => undefined);
  };

  const storePart: StorePart = async (writes) => {
    await storing;
    at = { ...at, isBetween: true };
    await store(writes, checkpoint());
    stored++;
    return true;
  };
  const tryPart: StorePart = () => {
    stored++;
    return Promise.resolve(false);
  };

  const handlingOf = (each: FoldableEvent) => (): void => {
    const handler = handlerOf(projection, each.type);
    const event = handler && each.event();
    if (event) handler(event, documents);
  };

  /** Stores what is rendered in parts, each of which may be repeated; first only tried, as it must not fail in the middle. */
  const handleInParts = async (act: () => void): Promise<void> => {
    // Earlier events' changes are stored first: a part takes the documents that it stores out of what waits.
    await fromStore(commit().then(() => storing));
    if ((await documents.runInParts(act, tryPart)) > 0) await fromStore(documents.runInParts(act, storePart));
  };

  /** What the event needs is read together with what those after it need. */
  const attempt = async (events: readonly FoldableEvent[], index: number): Promise<void> => {
    const [act = () => undefined] = events.slice(index, index + 1).map(handlingOf);
    for (;;) {
      const outcome = documents.attempt(act);
      if (outcome === 'done') return;
      if (outcome === 'in parts') return handleInParts(act);
      await documents.readFor(events.slice(index).map(handlingOf));
    }
  };

  const breathe = async (): Promise<void> => {
    if (performance.now() - breathedAt <= BREATHE_AFTER_MS) return;
    await setImmediate();
    breathedAt = performance.now();
  };

  /**
   * Applies an event of some that come after one another.
   *
   * @param release the number of the release under which a parked stream is applied
   */
  const apply = async (events: readonly FoldableEvent[], index: number, release = 0): Promise<void> => {
    const each = events[index];
    if (!each) return;
    await breathe();
    const act = () => attempt(events, index);
    await act().catch((error: unknown) => retryOrPark(each, error, act, release));
  };

  const commitIfFull = async (): Promise<void> => {
    if (documents.size >= maxDocuments) await commit();
  };

  return {
    waiting: () => documents.size,
    checkpoint,
    stored: () => stored,
    async add({ events, position, last }) {
      const newer = events.filter((each) => each.position > at.position);
      for (const [index, each] of newer.entries()) {
        if (!parking.holds(each)) await apply(newer, index);
        cameTo(each.position, { position: each.position, id: each.id });
        await commitIfFull();
      }
      if (position > at.position) cameTo(position, last ?? at.last);
    },
    cameToEnd() {
      at = { ...at, isBuilt: true };
    },
    passed(mark) {
      at = { ...at, passed: mark };
    },
    async release(stream, events, number) {
      for (const [index, each] of events.entries()) {
        // What is stored in between says from where the rest is to be applied.
        if (index > 0) {
          parking.cameTo({ ...each, event: each.id }, number);
          await commitIfFull();
        }
        const { isBetween } = at;
        await apply(events, index, number);
        at = { ...at, isBetween };
        if (parking.of(stream)?.release === number) return;
      }
      parking.free(stream);
    },
    commit,
    settled: () => storing,
  };
};
