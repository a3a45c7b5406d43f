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

/** Decoded once, when the first projection asks for it. */
export interface ApplicableEvent {
  readonly id: string;
  readonly type: string;
  readonly position: Position;
  readonly stream: string;
  readonly revision: Revision;
  readonly event: () => DomainEvent | undefined;
}

const decode = decoder(eventDefinitions);

export const toApplicable = (recorded: RecordedEvent): ApplicableEvent => {
  const { id, type, position, stream, revision } = recorded;
  let event: DomainEvent | undefined;
  return { id, type, position, stream, revision, event: () => (event ??= decode(recorded)) };
};

/** A batch of the event log, as a projection applies it. */
export interface ApplierBatch {
  readonly events: readonly ApplicableEvent[];
  readonly position: Position;
  /** The event log's last event up to there. */
  readonly last?: Mark | undefined;
}

/** Applies the event log to one projection. A failed applier is of no use: create another at the stored checkpoint. */
export interface Applier {
  /** Documents that wait to be stored. */
  waiting(): number;
  /** As a commit would store it now. */
  checkpoint(): Checkpoint;
  /** Counts commits and tried parts of a large event: grows as long as there is progress. */
  stored(): number;
  /** Applies a batch, but no event twice. */
  add(batch: ApplierBatch): Promise<void>;
  /** To be called when there is no more to apply. */
  cameToEnd(): void;
  /** Notes a record of another service, after which the subscription may resume. */
  passed(mark: Mark): void;
  /** Applies a parked stream's events, after later events of other streams. @param number of the release */
  release(stream: string, events: readonly ApplicableEvent[], number: number): Promise<void>;
  /**
   * Begins a commit of the documents and the checkpoint, so that applying goes on meanwhile. Rejects when the commit
   * before has failed.
   */
  commit(): Promise<void>;
  /** Resolves when everything committed is stored. */
  settled(): Promise<void>;
}

export interface ApplierOptions {
  readonly readModels: ReadModelStore;
  readonly projection: Projection;
  /** As it is stored; undefined where none is. */
  readonly checkpoint: Checkpoint | undefined;
  /** Documents per transaction; one event may add a few more. */
  readonly maxDocuments: number;
  /** Whether this applier still writes the projection. */
  readonly isCurrent?: () => boolean;
  /** How poison events are parked; left out: one stops the projection with PoisonEvent. */
  readonly parking?: Parking | undefined;
}

/** How long applying may block the event loop, to which an embedded store does not yield. */
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

export const createApplier = (options: ApplierOptions): Applier => {
  const { readModels, projection, maxDocuments, isCurrent = () => true } = options;
  const documents = new UnitOfWork(readModels, maxDocuments);
  let at: Checkpoint = options.checkpoint ?? NOTHING;
  const parking = createParking(at.parked, options.parking);
  const retryOrPark = createRetryOrPark(parking, options.parking !== undefined);
  let stored = 0;
  let breathedAt = performance.now();
  let storing = Promise.resolve();

  const checkpoint = (): Checkpoint => ({ ...at, parked: parking.all() });

  /** A record of another service is forgotten once a later event of this service was seen. */
  const cameTo = (position: Position, last: Mark | null): void => {
    const passed = at.passed && at.passed.position > (last?.position ?? START) ? at.passed : null;
    at = { ...at, position, last, passed, isBetween: false };
  };

  const store = (writes: readonly Write[], upTo: Checkpoint): Promise<void> =>
    isCurrent() ? readModels.commit(projection, writes, upTo) : Promise.reject(new LeaseLost());

  const commit = async (): Promise<void> => {
    await storing;
    storing = store(documents.beginCommit(), checkpoint()).then(() => {
      documents.endCommit();
      stored++;
    });
    // The next caller that awaits `storing` gets the failure.
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

  const handlingOf = (each: ApplicableEvent) => (): void => {
    const handler = handlerOf(projection, each.type);
    const event = handler && each.event();
    if (event) handler(event, documents);
  };

  /**
   * Stores a very large event's documents in parts, which may be repeated. A dry run comes first: the handler must not
   * fail after a part is stored.
   */
  const handleInParts = async (act: () => void): Promise<void> => {
    // A part takes its documents out of those that wait, so changes of earlier events are stored first.
    await fromStore(commit().then(() => storing));
    if ((await documents.runInParts(act, tryPart)) > 0) await fromStore(documents.runInParts(act, storePart));
  };

  /** Reads what the event needs together with what those after it need. */
  const attempt = async (events: readonly ApplicableEvent[], index: number): Promise<void> => {
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
   * Applies one event of a batch; retries it or parks its stream where that fails.
   *
   * @param release the number of the release under which a parked stream is applied
   */
  const apply = async (events: readonly ApplicableEvent[], index: number, release = 0): Promise<void> => {
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
        // A checkpoint stored in between says which event is next.
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
