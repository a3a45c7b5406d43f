import { AnotherLogError, toLogIdentityReader, compareLogIdentity } from '../event-store/identity.ts';
import {
  isCausedByDamage,
  START_POSITION,
  type EventBatch,
  type EventLog,
  type EventPointer,
} from '../event-store/port.ts';
import { isPendingRelease, type StreamRelease } from './release.ts';
import { errorMessageOf } from '../lib/error.ts';
import type { createKeyedMutex } from '../lib/keyed-mutex.ts';
import { DuplicateInsertError, type Checkpoint, type ReadModelStore } from '../read-models/port.ts';
import { Applier } from './applier.ts';
import { toLazilyDecodedEvent, type LazilyDecodedEvent } from './apply-event.ts';
import type { BuildPart } from './apply-groups.ts';
import { PoisonEventError, StreamParkedError, type ParkingOptions } from './parked-streams.ts';
import { handlerOf, type Projection } from './projection.ts';
import { createBuildPartStore, NotGroupedError, type BuildPartStore } from './store-parts.ts';

/** A projection that the projector is to keep up to date. */
export interface ProjectionAssignment {
  readonly projection: Projection;
  /** Applied apart, so that no other projection waits for it. */
  readonly isApart?: boolean;
  /** Events a second at most. */
  readonly throttle?: number | undefined;
  /** Threads that apply events to it and to what is built with it. */
  readonly threads?: number | undefined;
  /** Whether a poison event stops it, or only parks its stream. */
  readonly isStrict?: boolean;
}

interface RunnerContext {
  readonly eventStore: Pick<EventLog, 'readStream' | 'readAll' | 'recordAt'>;
  readonly readModels: ReadModelStore;
  /** Whether too many documents wait to be stored. */
  readonly isFull: () => boolean;
  /** Documents per transaction; one event may add a few more. */
  readonly maxDocuments: number;
  readonly retryEventAfterMs?: number | undefined;
  /** How long documents may wait to be stored while there is more to apply. */
  readonly storeEveryMs: number;
  readonly notify: () => void;
  readonly onError: (projection: string, error: unknown) => void;
  /** RFC 3339; left out: a poison event stops its projection. */
  readonly parkedAt?: (() => string) | undefined;
  /** One action at a time for each projection, also where one runner of it ends and another begins. */
  readonly mutex: ReturnType<typeof createKeyedMutex>;
}

/**
 * Where a subscription may resume: at a record that is still in the event log. Undefined where the event log was
 * restored from an older state.
 *
 * @throws AnotherLogError where it is another one, or gone: what is stored must not be emptied
 */
const resumableCheckpoint = async (
  { eventStore }: Pick<RunnerContext, 'eventStore'>,
  stored: Checkpoint,
): Promise<Checkpoint | undefined> => {
  const comparison = await compareLogIdentity(stored, toLogIdentityReader(eventStore));
  switch (comparison.kind) {
    case 'same':
      return stored.building ? stored : { ...stored, position: comparison.at };
    case 'older':
      return undefined;
    case 'other':
    case 'gone':
      throw new AnotherLogError(comparison);
  }
};

/** Opens what is stored, or resets what cannot be resumed; the checkpoint, if there is one to resume at. */
const openStoredCheckpoint = async (
  context: RunnerContext,
  projection: Projection,
): Promise<Checkpoint | undefined> => {
  const stored = await context.readModels.prepare(projection);
  // A build by groups resumes neither in another order nor within its first group.
  const isOver = stored?.building && (!projection.shared || stored.building.group === null);
  const found = stored && !isOver ? await resumableCheckpoint(context, stored) : undefined;
  // One that holds nothing is reset, so that its build is not seen before it ends.
  const checkpoint = found && (found.building || found.position > START_POSITION) ? found : undefined;
  if (stored && !checkpoint) await context.readModels.reset(projection);
  return checkpoint;
};

/** A projection that this process keeps up to date: opens it at its checkpoint, applies batches, and stores them. */
export class ProjectionRunner {
  readonly #context: RunnerContext;
  /** Without `shared` once its events turn out not to be grouped: it is built in the order of the event log then. */
  projection: Projection;
  /** As it was asked for last. */
  target: ProjectionAssignment;
  /** False once the lease was lost, even if it is held again. */
  isActive = true;
  applier: Applier;
  /** As last stored, where other processes see it. */
  checkpoint: Checkpoint;
  /** Events of its types since it began, those of parked streams among them. */
  seen = 0;
  /** How many events its build takes, once that is known. */
  of: number | undefined;
  /** Parts of its build beyond those of any earlier try: grows as long as there is progress. */
  parts = 0;
  errors = 0;
  lastError: string | undefined;
  /** How poison events were to be treated when one, or damage of the event log, stopped it; else undefined. */
  stopped: 'strict' | 'tolerant' | undefined;
  /** Ends its subscription, so that it begins again at what is stored. */
  interrupt: () => void = () => undefined;
  /** When it was last committed; milliseconds of this process. */
  #storedAt = performance.now();
  /** When it last noted how far it passed records of other services. */
  #passedAt = performance.now();
  /** The most parts that a try has stored since the last checkpoint. */
  #farthest = 0;
  /** Whether an action failed: what it has left in memory must not be used. */
  #isBroken = false;
  /** After a failure each batch is stored by itself, so that those before the faulty one are kept. */
  #isCareful = false;

  private constructor(context: RunnerContext, target: ProjectionAssignment, checkpoint: Checkpoint | undefined) {
    this.#context = context;
    this.projection = target.projection;
    this.target = target;
    this.applier = this.#applierAt(checkpoint);
    this.checkpoint = this.applier.checkpoint;
  }

  static async open(context: RunnerContext, target: ProjectionAssignment): Promise<ProjectionRunner> {
    return new ProjectionRunner(context, target, await openStoredCheckpoint(context, target.projection));
  }

  /** After a failure begins again at what is stored: it is unknown whether the commit was. */
  rejoin(): Promise<void> {
    return this.#context.mutex(this.projection.name, async () => {
      if (!this.#isBroken) return;
      await this.applier.settled().catch(() => undefined);
      const checkpoint = await openStoredCheckpoint(this.#context, this.projection);
      this.applier = this.#applierAt(checkpoint);
      this.checkpoint = this.applier.checkpoint;
      this.#isBroken = false;
      // The failed commit may have been stored.
      this.#context.notify();
    });
  }

  /** Applies a batch; stores it where that is due. */
  advance(events: readonly LazilyDecodedEvent[], batch: Omit<EventBatch, 'events'>): Promise<void> {
    return this.#act(async () => {
      const { position, last, isLast } = batch;
      await this.applier.add({ events, position, last });
      this.seen += events.filter(({ type }) => handlerOf(this.projection, type)).length;
      if (isLast) this.applier.cameToEnd();
      if (isLast || this.#isCareful) await this.#publish();
      else if (this.#isDue()) await this.#commit();
      if (isLast) this.#isCareful = false;
    });
  }

  /** Commits what is applied, and tells when it is stored. */
  publish(): Promise<void> {
    return this.#act(() => this.#publish());
  }

  /** To be called where there is nothing more to apply. */
  cameToEnd(): Promise<void> {
    return this.#act(() => {
      this.applier.cameToEnd();
      return this.#publish();
    });
  }

  /** Begins to build it group by group. @param upTo the last event of the event log */
  beginBuild(upTo: EventPointer): BuildPartStore {
    return createBuildPartStore(this.projection, this.checkpoint, upTo, {
      ...this.#context,
      parking: this.#parking(),
      isCurrent: () => this.isActive,
    });
  }

  /** Stores a part of its build. */
  build(parts: BuildPartStore, part: BuildPart): Promise<void> {
    return this.#act(async () => {
      const checkpoint = await parts.store(part);
      const stored = parts.sinceCheckpoint();
      if (checkpoint || stored > this.#farthest) this.parts++;
      this.#farthest = checkpoint ? 0 : Math.max(this.#farthest, stored);
      this.seen += part.applied;
      this.of = part.of ?? this.of;
      if (!checkpoint) return;
      this.checkpoint = checkpoint;
      this.#storedAt = performance.now();
    });
  }

  /** Ends its build: queries may read it. */
  finishBuild(parts: BuildPartStore): Promise<void> {
    return this.#act(() => {
      this.applier = this.#applierAt(parts.whole());
      return this.#publish();
    });
  }

  /**
   * Applies a parked stream's events; parks it again where one fails again. An interrupted release is resumed. One that
   * is done, or of an event at which the stream is not parked, changes nothing. During a build by groups it waits.
   */
  release(release: StreamRelease): Promise<void> {
    return this.#act(async () => {
      const { number, stream, kind } = release;
      const { building, parked, position } = this.applier.checkpoint;
      const held = parked.find((each) => isPendingRelease(release, [each]));
      if (building || !held) return;
      const isToSkip = kind === 'skip' && held.underWay !== number;
      const from = isToSkip ? held.revision + 1 : held.revision;
      const all = await this.#context.eventStore.readStream(stream, from);
      const waiting = all.filter((event) => event.position <= position).map(toLazilyDecodedEvent);
      await this.applier.release(stream, waiting, number);
      await this.#publish();
    });
  }

  /** Marks the runner as failed, also by its subscription: it then begins again at what is stored. */
  failed(error: unknown): void {
    this.#isBroken = true;
    this.errors++;
    this.#isCareful = true;
    if (error instanceof DuplicateInsertError || error instanceof NotGroupedError) {
      const { shared: _, ...inOrder } = this.projection;
      this.projection = inOrder;
    }
    this.lastError = errorMessageOf(error);
    const how = this.target.isStrict ? 'strict' : 'tolerant';
    // No try makes the event log sound.
    this.stopped = error instanceof PoisonEventError || isCausedByDamage(error) ? how : undefined;
    this.#context.onError(this.projection.name, error);
    this.#context.notify();
  }

  /** Runs one action at a time; one that fails leaves the runner broken. */
  #act(act: () => Promise<void>): Promise<void> {
    return this.#context.mutex(this.projection.name, async () => {
      if (this.#isBroken) throw new Error('It failed, and begins again at what is stored');
      try {
        await act();
      } catch (error) {
        this.#isBroken = true;
        throw error;
      }
    });
  }

  #parking(): ParkingOptions | undefined {
    const { parkedAt, onError } = this.#context;
    return (
      parkedAt && {
        isStrict: () => this.target.isStrict === true,
        onParked: (poison) => onError(this.projection.name, new StreamParkedError(poison)),
        now: parkedAt,
      }
    );
  }

  #applierAt(checkpoint: Checkpoint | undefined): Applier {
    const { readModels, maxDocuments, retryEventAfterMs } = this.#context;
    return new Applier({
      readModels,
      projection: this.projection,
      checkpoint,
      maxDocuments,
      retryEventAfterMs,
      parking: this.#parking(),
      isCurrent: (applier) => this.isActive && this.applier === applier,
    });
  }

  /** Whether there is anything to store. Records of other services count once `#notePassed` has noted them. */
  #isChanged(): boolean {
    const [now, before] = [this.applier.checkpoint, this.checkpoint];
    return (
      this.applier.waiting > 0 ||
      now.last?.position !== before.last?.position ||
      now.passed?.position !== before.passed?.position ||
      before.building !== null ||
      now.isBuilt !== before.isBuilt ||
      JSON.stringify(now.parked) !== JSON.stringify(before.parked)
    );
  }

  /** Whether documents should be stored though there is more to apply. */
  #isDue(): boolean {
    const { isFull, storeEveryMs } = this.#context;
    return isFull() || performance.now() - this.#storedAt >= storeEveryMs;
  }

  async #commit(): Promise<void> {
    // Also when there is nothing to store, or a commit would be due again and again.
    this.#storedAt = performance.now();
    await this.#notePassed();
    if (this.#isChanged()) await this.applier.commit();
  }

  /** Now and then, so that a start need not read all records of other services again. */
  async #notePassed(): Promise<void> {
    const { eventStore, storeEveryMs } = this.#context;
    const { position, last } = this.applier.checkpoint;
    if (position <= (last?.position ?? START_POSITION) || performance.now() - this.#passedAt < storeEveryMs) return;
    this.#passedAt = performance.now();
    const record = await eventStore.recordAt(position);
    if (record) this.applier.passed({ position, id: record.id });
  }

  async #publish(): Promise<void> {
    await this.#commit();
    await this.applier.settled();
    this.checkpoint = this.applier.checkpoint;
    this.lastError = undefined;
    this.stopped = undefined;
    this.#context.notify();
  }
}
