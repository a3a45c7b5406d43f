import { START, type EventBatch, type EventStore, type Mark } from '../event-store/port.ts';
import type { Release } from '../build-registry/build.ts';
import { isDue as isReleaseDue } from '../build-registry/releases.ts';
import { createKeyedMutex } from '../lib/keyed-mutex.ts';
import { createApplier, toApplicable, type Applier, type ApplicableEvent } from './applier.ts';
import type { Parking } from './parking.ts';
import { PoisonEvent } from './poison.ts';
import { handlerOf, type Projection } from './projection.ts';
import type { BuildPart } from './apply-groups.ts';
import { createPartStore, NotGrouped, type PartStore } from './store-parts.ts';
import {
  AlreadyThere,
  type Checkpoint,
  type ParkedStream,
  type ReadModelStore,
} from '../read-models/port.ts';

/** A projection that the projector is to keep up to date. */
export interface ProjectionTarget {
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

/** A projection that this process keeps up to date. */
export interface ProjectionRunner extends ProjectionTarget {
  applier: Applier;
  /** As last stored, where other processes see it. */
  checkpoint: Checkpoint;
  /** When it was last committed; milliseconds of this process. */
  storedAt: number;
  /** When it last noted how far it passed records of other services. */
  passedAt: number;
  /** Events applied since it began. */
  seen: number;
  /** How many events its build takes, once that is known. */
  of: number | undefined;
  /** Parts of its build beyond those of any earlier try: grows as long as there is progress. */
  parts: number;
  /** The most parts that a try has stored since the last checkpoint. */
  farthest: number;
  errors: number;
  lastError: string | undefined;
  /** Whether an action failed or is under way: what it has in memory must not be used. */
  isBroken: boolean;
  /** Whether its events are not grouped as it says: it is built in the order of the event log. */
  isUngrouped: boolean;
  /** After a failure each batch is stored by itself, so that those before the faulty one are kept. */
  isCareful: boolean;
  /** How poison events were to be treated when one stopped it; undefined unless one did. */
  stopped: 'strict' | 'tolerant' | undefined;
}

export interface RunnerActions {
  readonly eventStore: Pick<EventStore, 'readStream' | 'recordAt'>;
  readonly readModels: ReadModelStore;
  /** Whether too many documents wait to be stored. */
  readonly isFull: () => boolean;
  /** Documents per transaction; one event may add a few more. */
  readonly maxDocuments: number;
  /** How long documents may wait to be stored while there is more to apply. */
  readonly storeEveryMs: number;
  /** False once the lease was lost, even if it is held again. */
  readonly isActive: (runner: ProjectionRunner) => boolean;
  readonly targetOf: (runner: ProjectionTarget) => ProjectionTarget;
  readonly notify: () => void;
  readonly onError: (projection: string, error: unknown) => void;
  /** RFC 3339; left out: a poison event stops its projection. */
  readonly parkedAt?: (() => string) | undefined;
}

/** How many of some events a projection applies. */
export const countOwn = ({ projection }: ProjectionTarget, events: readonly ApplicableEvent[]): number =>
  events.reduce((count, { type }) => (handlerOf(projection, type) ? count + 1 : count), 0);

const streamsOf = (parked: readonly ParkedStream[]): string => JSON.stringify(parked);

/** Opens runners at their checkpoints, applies batches, and stores them. */
export const createRunners = (actions: RunnerActions) => {
  const { eventStore, readModels, isFull, maxDocuments, storeEveryMs } = actions;
  const { isActive, targetOf, notify, onError, parkedAt } = actions;
  /** One action at a time for each runner. */
  const mutex = createKeyedMutex();

  /**
   * Where a subscription may resume: at a record that is still in the event log. Events of this service are never
   * removed: an event log without the last one seen is another one, and the answer undefined.
   */
  const resumed = async (stored: Checkpoint): Promise<Checkpoint | undefined> => {
    for (const mark of [stored.passed, stored.last])
      if (mark && (await eventStore.recordAt(mark.position))?.id === mark.id)
        return stored.building ? stored : { ...stored, position: mark.position };
    return stored.last ? undefined : { ...stored, position: START };
  };

  const parkingOf = (runner: ProjectionTarget): Parking | undefined =>
    parkedAt && {
      isStrict: () => targetOf(runner).isStrict === true,
      onParked: (poison) => onError(runner.projection.name, new PoisonEvent(poison)),
      now: parkedAt,
    };

  const applierOf = (
    runner: ProjectionTarget,
    checkpoint: Checkpoint | undefined,
    isCurrent: (applier: Applier) => boolean,
  ): Applier => {
    const { projection } = runner;
    const parking = parkingOf(runner);
    const applier: Applier = createApplier({
      readModels,
      projection,
      checkpoint,
      maxDocuments,
      parking,
      isCurrent: () => isCurrent(applier),
    });
    return applier;
  };
  const isOf = (runner: ProjectionRunner) => (applier: Applier) =>
    isActive(runner) && runner.applier === applier;

  /** Opens what is stored, or resets what cannot be resumed. */
  const open = async (
    target: ProjectionTarget & Partial<Pick<ProjectionRunner, 'isUngrouped'>>,
    isCurrent: (applier: Applier) => boolean,
  ): Promise<Pick<ProjectionRunner, 'applier' | 'checkpoint'>> => {
    const { projection } = target;
    const stored = await readModels.prepare(projection);
    // A build by groups resumes neither in another order nor within its first group.
    const isOver = stored?.building && (target.isUngrouped || stored.building.group === null);
    const found = stored && !isOver ? await resumed(stored) : undefined;
    // One that holds nothing is reset, so that its build is not seen before it ends.
    const checkpoint = found && (found.building || found.position > START) ? found : undefined;
    if (stored && !checkpoint) await readModels.reset(projection);
    const applier = applierOf(target, checkpoint, isCurrent);
    return { applier, checkpoint: applier.checkpoint() };
  };

  const join = async (target: ProjectionTarget): Promise<ProjectionRunner> => {
    const runner: ProjectionRunner = {
      ...target,
      ...(await open(target, (applier) => isOf(runner)(applier))),
      storedAt: performance.now(),
      passedAt: performance.now(),
      seen: 0,
      of: undefined,
      parts: 0,
      farthest: 0,
      errors: 0,
      lastError: undefined,
      isBroken: false,
      isUngrouped: false,
      isCareful: false,
      stopped: undefined,
    };
    return runner;
  };

  /** After a failure begins again at what is stored: whether the commit was is unknown. */
  const rejoin = async (runner: ProjectionRunner): Promise<void> => {
    if (!runner.isBroken) return;
    await runner.applier.settled().catch(() => undefined);
    Object.assign(runner, await open(runner, isOf(runner)));
    runner.isBroken = false;
    // The failed commit may have been stored.
    notify();
  };

  /** Whether there is anything to store, but for records of other services alone. */
  const isChanged = ({ applier, checkpoint: before }: ProjectionRunner): boolean => {
    const now = applier.checkpoint();
    return (
      applier.waiting() > 0 ||
      now.last?.position !== before.last?.position ||
      now.passed?.position !== before.passed?.position ||
      before.building !== null ||
      now.isBuilt !== before.isBuilt ||
      streamsOf(now.parked) !== streamsOf(before.parked)
    );
  };

  /** Now and then, so that a start need not read all records of other services again. */
  const notePassed = async (runner: ProjectionRunner): Promise<void> => {
    const { position, last } = runner.applier.checkpoint();
    if (position <= (last?.position ?? START) || performance.now() - runner.passedAt < storeEveryMs) return;
    runner.passedAt = performance.now();
    const record = await eventStore.recordAt(position);
    if (record) runner.applier.passed({ position, id: record.id });
  };

  const commit = async (runner: ProjectionRunner): Promise<void> => {
    // Also when there is nothing to store, or a commit would be due again and again.
    runner.storedAt = performance.now();
    await notePassed(runner);
    if (isChanged(runner)) await runner.applier.commit();
  };

  /** Whether its documents should be stored though there is more to apply. */
  const isDue = ({ storedAt }: ProjectionRunner): boolean =>
    isFull() || performance.now() - storedAt >= storeEveryMs;

  /** Commits what a runner has applied, and tells when it is stored. */
  const publish = async (runner: ProjectionRunner): Promise<void> => {
    await commit(runner);
    await runner.applier.settled();
    runner.checkpoint = runner.applier.checkpoint();
    runner.lastError = undefined;
    runner.stopped = undefined;
    notify();
  };

  const advance = async (
    runner: ProjectionRunner,
    events: readonly ApplicableEvent[],
    { position, last, isLast }: Omit<EventBatch, 'events'>,
  ): Promise<void> => {
    await runner.applier.add({ events, position, last });
    runner.seen += countOwn(runner, events);
    if (isLast) runner.applier.cameToEnd();
    if (isLast || runner.isCareful) await publish(runner);
    else if (isDue(runner)) await commit(runner);
    if (isLast) runner.isCareful = false;
  };

  const beginBuild = (runner: ProjectionRunner, upTo: Mark): PartStore =>
    createPartStore(runner.projection, runner.checkpoint, upTo, {
      eventStore,
      readModels,
      parking: parkingOf(runner),
      isCurrent: () => isActive(runner),
    });

  const build = async (runner: ProjectionRunner, parts: PartStore, part: BuildPart): Promise<void> => {
    const checkpoint = await parts.store(part);
    if (checkpoint || parts.taken() > runner.farthest) runner.parts++;
    runner.farthest = checkpoint ? 0 : Math.max(runner.farthest, parts.taken());
    runner.seen += part.own;
    runner.of = part.of ?? runner.of;
    if (checkpoint) Object.assign(runner, { checkpoint, storedAt: performance.now() });
  };

  const built = async (runner: ProjectionRunner, parts: PartStore): Promise<void> => {
    runner.applier = applierOf(runner, parts.whole(), isOf(runner));
    await publish(runner);
  };

  const cameToEnd = async (runner: ProjectionRunner): Promise<void> => {
    runner.applier.cameToEnd();
    await publish(runner);
  };

  /** Marks a runner as failed, also by its subscription: it begins again at what is stored. */
  const failed = (runner: ProjectionRunner, error: unknown) => {
    runner.isBroken = true;
    runner.errors++;
    runner.isCareful = true;
    runner.isUngrouped ||= error instanceof AlreadyThere || error instanceof NotGrouped;
    runner.lastError = error instanceof Error ? error.message : String(error);
    const how = targetOf(runner).isStrict ? 'strict' : 'tolerant';
    runner.stopped = error instanceof PoisonEvent ? how : undefined;
    onError(runner.projection.name, error);
    notify();
  };

  /**
   * Applies a parked stream's events; parks it again where one fails again. An interrupted release is resumed. One that
   * is done, or of an event at which the stream is not parked, changes nothing. During a build by groups it waits.
   */
  const releaseOnce = async (runner: ProjectionRunner, release: Release): Promise<void> => {
    const { number, stream, kind } = release;
    const { building, parked, position } = runner.applier.checkpoint();
    const held = parked.find((each) => isReleaseDue(release, [each]));
    if (building || !held) return;
    const isToSkip = kind === 'skip' && held.underWay !== number;
    const all = await eventStore.readStream(stream, isToSkip ? held.revision + 1 : held.revision);
    const waiting = all.filter((event) => event.position <= position).map(toApplicable);
    await runner.applier.release(stream, waiting, number);
    await publish(runner);
  };

  /** Runs one action of a runner at a time; one that fails leaves it broken. */
  const oneAtATime =
    <Rest extends readonly unknown[]>(act: (runner: ProjectionRunner, ...rest: Rest) => Promise<void>) =>
    (runner: ProjectionRunner, ...rest: Rest): Promise<void> =>
      mutex(runner.projection.name, async () => {
        if (runner.isBroken) throw new Error('It failed, and begins again at what is stored');
        runner.isBroken = true;
        const { errors } = runner;
        await act(runner, ...rest);
        // Unless its subscription failed meanwhile.
        if (runner.errors === errors) runner.isBroken = false;
      });

  return {
    join,
    isDue,
    rejoin: (runner: ProjectionRunner) => mutex(runner.projection.name, () => rejoin(runner)),
    commit: oneAtATime(commit),
    publish: oneAtATime(publish),
    advance: oneAtATime(advance),
    beginBuild,
    build: oneAtATime(build),
    built: oneAtATime(built),
    cameToEnd: oneAtATime(cameToEnd),
    release: oneAtATime(releaseOnce),
    failed,
  };
};
export type Runners = ReturnType<typeof createRunners>;
