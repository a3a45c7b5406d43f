import { setImmediate, setTimeout as delay } from 'node:timers/promises';
import { projectionNameOfBuild } from './build-id.ts';
import { START_POSITION, type EventPointer, type Position } from '../event-store/port.ts';
import { LeaseLostError, type Checkpoint, type ReadModelStore, type DocumentWrite } from '../read-models/port.ts';
import { applyEvent, type LazilyDecodedEvent } from './apply-event.ts';
import { createParkedStreams, PoisonEventError, toPoisonEvent, type ParkingOptions } from './parked-streams.ts';
import { handlerOf, type Projection } from './projection.ts';
import { wrapStoreFailure, StoreDocumentSource, StoreFailureError } from './document-source.ts';
import { createBatchTrace, withoutSpan, type BatchTrace, type RunInSpan } from '../telemetry/batch-trace.ts';
import { DocumentUnitOfWork, type StorePartCallback } from './document-unit-of-work.ts';

interface ApplierBatch {
  readonly events: readonly LazilyDecodedEvent[];
  readonly position: Position;
  /** The event log's last event up to there. */
  readonly last?: EventPointer | undefined;
}

interface ApplierOptions {
  readonly readModels: ReadModelStore;
  readonly projection: Projection;
  /** As it is stored; undefined where none is. */
  readonly checkpoint: Checkpoint | undefined;
  /** Documents per transaction; one event may add a few more. */
  readonly maxDocuments: number;
  /** Whether an applier still writes the projection. */
  readonly isCurrent?: (applier: Applier) => boolean;
  /** How poison events are parked; left out: one stops the projection with PoisonEventError. */
  readonly parking?: ParkingOptions | undefined;
  /** Pause before an event that could not be applied is tried again; twice as long before the last time. */
  readonly retryEventAfterMs?: number | undefined;
}

/** How long applying may block the event loop, to which an embedded store does not yield. */
const YIELD_AFTER_MS = 10;
/** Tries at an event that cannot be applied: the machine may have been at fault. */
const ATTEMPTS = 3;
const RETRY_EVENT_MS = 10;

export const EMPTY_CHECKPOINT: Checkpoint = {
  position: START_POSITION,
  last: null,
  passed: null,
  building: null,
  parked: [],
  isBuilt: false,
  isBetween: false,
};

/** Applies the event log to one projection. A failed applier is of no use: create another at the stored checkpoint. */
export class Applier {
  readonly #options: ApplierOptions;
  readonly #documents: DocumentUnitOfWork;
  readonly #parking: ReturnType<typeof createParkedStreams>;
  readonly #trace: BatchTrace;
  #at: Checkpoint;
  #storing = Promise.resolve();
  #breathedAt = performance.now();
  /** Counts commits and tried parts of a large event: grows as long as there is progress. */
  progress = 0;

  constructor(options: ApplierOptions) {
    const { readModels, checkpoint = EMPTY_CHECKPOINT, maxDocuments, parking } = options;
    const { name } = options.projection;
    this.#options = options;
    this.#trace = createBatchTrace(projectionNameOfBuild(name), name);
    this.#documents = new DocumentUnitOfWork(new StoreDocumentSource(readModels), options.projection, maxDocuments);
    this.#at = checkpoint;
    this.#parking = createParkedStreams(checkpoint.parked, parking);
  }

  /** Documents that wait to be stored. */
  get waiting(): number {
    return this.#documents.size;
  }

  /** As a commit would store it now. */
  get checkpoint(): Checkpoint {
    return { ...this.#at, parked: this.#parking.all() };
  }

  /** Applies a batch, but no event twice. */
  async add({ events, position, last }: ApplierBatch): Promise<void> {
    const newer = events.filter((each) => each.position > this.#at.position);
    for (const [index, each] of newer.entries()) {
      if (!this.#parking.holds(each)) await this.#apply(each, newer, index);
      this.#advanceTo(each.position, { position: each.position, id: each.id });
      await this.#commitIfFull();
    }
    if (position > this.#at.position) this.#advanceTo(position, last ?? this.#at.last);
  }

  /** To be called when there is no more to apply. */
  cameToEnd(): void {
    this.#at = { ...this.#at, isBuilt: true };
  }

  /** Notes a record of another service, after which the subscription may resume. */
  passed(mark: EventPointer): void {
    this.#at = { ...this.#at, passed: mark };
  }

  /** Applies a parked stream's events, after later events of other streams. @param number of the release */
  async release(stream: string, events: readonly LazilyDecodedEvent[], number: number): Promise<void> {
    for (const [index, each] of events.entries()) {
      // A checkpoint stored in between says which event is next.
      if (index > 0) {
        const { revision, position, id: event, type } = each;
        this.#parking.noteReached({ stream, revision, position, event, type }, number);
        await this.#commitIfFull();
      }
      const { isBetween } = this.#at;
      await this.#apply(each, events, index, number);
      this.#at = { ...this.#at, isBetween };
      if (this.#parking.of(stream)?.release === number) return;
    }
    this.#parking.free(stream);
  }

  /**
   * Begins a commit of the documents and the checkpoint, so that applying goes on meanwhile. Rejects when the commit
   * before has failed.
   */
  async commit(): Promise<void> {
    await this.#storing;
    const stored = this.#store(this.#documents.beginCommit(), this.#trace.take());
    this.#storing = stored.then(() => this.#documents.endCommit());
    // The next caller that awaits it gets the failure.
    this.#storing.catch(() => undefined);
  }

  /** Resolves when everything committed is stored. */
  settled(): Promise<void> {
    return this.#storing;
  }

  async #store(writes: readonly DocumentWrite[], inBatch: RunInSpan = withoutSpan): Promise<void> {
    const { readModels, projection, isCurrent = () => true } = this.#options;
    if (!isCurrent(this)) throw new LeaseLostError();
    await inBatch(() => readModels.commit(projection, writes, this.checkpoint));
    this.progress++;
  }

  async #commitIfFull(): Promise<void> {
    if (this.#documents.size >= this.#options.maxDocuments) await this.commit();
  }

  /** A record of another service is forgotten once a later event of this service was seen. */
  #advanceTo(position: Position, last: EventPointer | null): void {
    const { passed } = this.#at;
    const isAhead = passed && passed.position > (last?.position ?? START_POSITION);
    this.#at = { ...this.#at, position, last, passed: isAhead ? passed : null, isBetween: false };
  }

  /**
   * Applies one event of a batch; retries it or parks its stream where that fails.
   *
   * @param release the number of the release under which a parked stream is applied
   * @throws PoisonEventError where the event stops the projection; what the store has failed with
   */
  async #apply(
    event: LazilyDecodedEvent,
    batch: readonly LazilyDecodedEvent[],
    index: number,
    release = 0,
  ): Promise<void> {
    await this.#breathe();
    for (let attempts = 1; ; attempts++)
      try {
        await this.#applyOnce(event, batch, index);
        return;
      } catch (error) {
        if (error instanceof StoreFailureError) throw error.cause instanceof Error ? error.cause : error;
        const poison = toPoisonEvent(event, error);
        if (!this.#options.parking) throw new PoisonEventError(poison);
        if (attempts === ATTEMPTS) {
          this.#parking.park(poison, release);
          return;
        }
        await delay((this.#options.retryEventAfterMs ?? RETRY_EVENT_MS) * attempts);
      }
  }

  /** Reads what the event needs together with what those after it need. */
  async #applyOnce(event: LazilyDecodedEvent, batch: readonly LazilyDecodedEvent[], index: number): Promise<void> {
    const handle = this.#handling(event);
    for (;;) {
      const outcome = this.#documents.tryHandling(handle);
      if (outcome === 'missing') {
        await this.#documents.readFor(batch.slice(index).map((each) => this.#handling(each)));
        continue;
      }
      const { projection } = this.#options;
      this.#trace.note(() => handlerOf(projection, event.type) && event.eventFor(projection)?.metadata);
      return outcome === 'in parts' ? this.#handleInParts(handle) : undefined;
    }
  }

  #handling(each: LazilyDecodedEvent): () => void {
    return () => applyEvent(this.#options.projection, each, this.#documents);
  }

  /**
   * Stores a very large event's documents in parts, which may be repeated. A dry run comes first: the handler must not
   * fail after a part is stored.
   */
  async #handleInParts(handle: () => void): Promise<void> {
    // A part takes its documents out of those that wait, so changes of earlier events are stored first.
    await wrapStoreFailure(this.commit().then(() => this.#storing));
    const tryPart: StorePartCallback = () => {
      this.progress++;
      return Promise.resolve(false);
    };
    const storePart: StorePartCallback = async (writes) => {
      await this.#storing;
      this.#at = { ...this.#at, isBetween: true };
      await this.#store(writes);
      return true;
    };
    if ((await this.#documents.runInParts(handle, tryPart)) > 0)
      await wrapStoreFailure(this.#documents.runInParts(handle, storePart));
  }

  async #breathe(): Promise<void> {
    if (performance.now() - this.#breathedAt <= YIELD_AFTER_MS) return;
    await setImmediate();
    this.#breathedAt = performance.now();
  }
}
