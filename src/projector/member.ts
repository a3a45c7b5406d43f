import { START, type EventBatch, type EventStore, type Mark } from '../event-store/port.ts';
import type { Release } from '../build-registry/build.ts';
import { isDue as isReleaseDue } from '../build-registry/releases.ts';
import { createExclusive } from '../lib/keyed-mutex.ts';
import { createFold, toFoldable, type Fold, type FoldableEvent } from './fold.ts';
import type { Parking } from './parking.ts';
import { PoisonEvent } from './poison.ts';
import { handlerOf, type Projection } from './projection.ts';
import type { BuildPart } from './apply-groups.ts';
import { createPartStore, NotGrouped, type PartStore } from './store-parts.ts';
import { AlreadyThere, type Checkpoint, type ParkedStream, type ReadModelStore } from '../read-models/port.ts';

/** A projection that the projector is to keep up to date. */
export interface Wanted {
  readonly projection: Projection;
  /** Applied apart from the others, so that those never wait for it. */
  readonly isApart?: boolean;
  /** Events a second at most. */
  readonly throttle?: number | undefined;
  /** So many threads apply events to it and to what is built with it. */
  readonly threads?: number | undefined;
  /** Whether an event that cannot be applied stops it, or only parks its stream. */
  readonly isStrict?: boolean;
}

/** A projection that this process keeps up to date. */
export interface Member extends Wanted {
  fold: Fold;
  /** As it was stored last, and seen by others. */
  checkpoint: Checkpoint;
  /** When what there was to store was last committed; milliseconds of this process. */
  storedAt: number;
  /** When it was last noted how far what others have written was looked through. */
  passedAt: number;
  /** Events that it has applied since it began. */
  seen: number;
  /** How many there are to build it, once that is known. */
  of: number | undefined;
  /** How many parts of its build have come to which no earlier try came: grows as long as that comes on. */
  parts: number;
  /** How many parts the best of all tries came to, since one was last stored with a checkpoint. */
  farthest: number;
  errors: number;
  lastError: string | undefined;
  /** Whether something failed or is under way: what it has in memory is not to be gone on with. */
  isBroken: boolean;
  /** Whether its events turned out not to be grouped as it says: it is built in the log's order. */
  isUngrouped: boolean;
  /** After a failure each batch is stored by itself, so that what came before the faulty one is kept. */
  isCareful: boolean;
  /** That it failed at an event that cannot be applied, and how it was wanted then. */
  stopped: 'strict' | 'tolerant' | undefined;
}

export interface MemberActions {
  readonly eventStore: Pick<EventStore, 'readStream' | 'recordAt'>;
  readonly readModels: ReadModelStore;
  /** Whether so many documents wait to be stored that they must not become more. */
  readonly isFull: () => boolean;
  /** So many documents are stored in one transaction, and few more. */
  readonly maxDocuments: number;
  /** How long documents wait to be stored while there is more to apply. */
  readonly storeEveryMs: number;
  /** False once the lease was lost, whichever instance has it now. */
  readonly isActive: (member: Member) => boolean;
  /** How a member is wanted by now. */
  readonly wantedOf: (member: Wanted) => Wanted;
  readonly changed: () => void;
  readonly onError: (projection: string, error: unknown) => void;
  /** RFC 3339; left out: an event that cannot be applied stops its projection. */
  readonly parkedAt?: (() => string) | undefined;
}

/** How many of some events are of a projection's types. */
export const countOwn = ({ projection }: Wanted, events: readonly FoldableEvent[]): number =>
  events.reduce((count, { type }) => (handlerOf(projection, type) ? count + 1 : count), 0);

const streamsOf = (parked: readonly ParkedStream[]): string => JSON.stringify(parked);

/** Members begin at their checkpoints, apply what they are given, and store it. */
export const createMembers = (actions: MemberActions) => {
  const { eventStore, readModels, isFull, maxDocuments, storeEveryMs } = actions;
  const { isActive, wantedOf, changed, onError, parkedAt } = actions;
  /** One thing at a time for each member: a batch, or a release. */
  const exclusively = createExclusive();

  /**
   * Where a subscription may go on that has seen all up to a checkpoint: at a record that still is in the log. Events of this
   * service are never removed, so a log without the last one that was seen was put in the place of the one that had it.
   */
  const resumed = async (stored: Checkpoint): Promise<Checkpoint | undefined> => {
    for (const mark of [stored.passed, stored.last])
      if (mark && (await eventStore.recordAt(mark.position))?.id === mark.id)
        return stored.building ? stored : { ...stored, position: mark.position };
    return stored.last ? undefined : { ...stored, position: START };
  };

  const parkingOf = (member: Wanted): Parking | undefined =>
    parkedAt && {
      isStrict: () => wantedOf(member).isStrict === true,
      onParked: (poison) => onError(member.projection.name, new PoisonEvent(poison)),
      now: parkedAt,
    };

  const foldOf = (
    member: Wanted,
    checkpoint: Checkpoint | undefined,
    isCurrent: (fold: Fold) => boolean,
  ): Fold => {
    const { projection } = member;
    const parking = parkingOf(member);
    const fold: Fold = createFold({
      readModels,
      projection,
      checkpoint,
      maxDocuments,
      parking,
      isCurrent: () => isCurrent(fold),
    });
    return fold;
  };
  const isOf = (member: Member) => (fold: Fold) => isActive(member) && member.fold === fold;

  /** Begins at what is stored, and at nothing else. */
  const open = async (
    wanted: Wanted & Partial<Pick<Member, 'isUngrouped'>>,
    isCurrent: (fold: Fold) => boolean,
  ): Promise<Pick<Member, 'fold' | 'checkpoint'>> => {
    const { projection } = wanted;
    const stored = await readModels.prepare(projection);
    // What was built by groups cannot be gone on with in another order, nor from within the first group.
    const isOver = stored?.building && (wanted.isUngrouped || stored.building.group === null);
    const found = stored && !isOver ? await resumed(stored) : undefined;
    // What holds nothing is built beside what is seen.
    const checkpoint = found && (found.building || found.position > START) ? found : undefined;
    if (stored && !checkpoint) await readModels.reset(projection);
    const fold = foldOf(wanted, checkpoint, isCurrent);
    return { fold, checkpoint: fold.checkpoint() };
  };

  const join = async (wanted: Wanted): Promise<Member> => {
    const member: Member = {
      ...wanted,
      ...(await open(wanted, (fold) => isOf(member)(fold))),
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
    return member;
  };

  /** After a failure begins again at what is stored: of what failed it is not known whether it was. */
  const rejoin = async (member: Member): Promise<void> => {
    if (!member.isBroken) return;
    await member.fold.settled().catch(() => undefined);
    Object.assign(member, await open(member, isOf(member)));
    member.isBroken = false;
    // What failed may have been stored.
    changed();
  };

  /** Whether there is anything to store: that only others have written something is no reason to. */
  const isChanged = ({ fold, checkpoint: before }: Member): boolean => {
    const now = fold.checkpoint();
    return (
      fold.waiting() > 0 ||
      now.last?.position !== before.last?.position ||
      now.passed?.position !== before.passed?.position ||
      before.building !== null ||
      now.isBuilt !== before.isBuilt ||
      streamsOf(now.parked) !== streamsOf(before.parked)
    );
  };

  /** Now and then, so that what others have written is not looked through anew at each start. */
  const notePassed = async (member: Member): Promise<void> => {
    const { position, last } = member.fold.checkpoint();
    if (position <= (last?.position ?? START) || performance.now() - member.passedAt < storeEveryMs) return;
    member.passedAt = performance.now();
    const record = await eventStore.recordAt(position);
    if (record) member.fold.passed({ position, id: record.id });
  };

  const commit = async (member: Member): Promise<void> => {
    // Also when there is nothing to store, or it would be due again and again.
    member.storedAt = performance.now();
    await notePassed(member);
    if (isChanged(member)) await member.fold.commit();
  };

  /** Whether its documents should be stored though there is more to apply. */
  const isDue = ({ storedAt }: Member): boolean => isFull() || performance.now() - storedAt >= storeEveryMs;

  /** Commits what a member has applied, and says so when others can see it. */
  const publish = async (member: Member): Promise<void> => {
    await commit(member);
    await member.fold.settled();
    member.checkpoint = member.fold.checkpoint();
    member.lastError = undefined;
    member.stopped = undefined;
    changed();
  };

  const advance = async (
    member: Member,
    events: readonly FoldableEvent[],
    { position, last, isLast }: Omit<EventBatch, 'events'>,
  ): Promise<void> => {
    await member.fold.add({ events, position, last });
    member.seen += countOwn(member, events);
    if (isLast) member.fold.cameToEnd();
    if (isLast || member.isCareful) await publish(member);
    else if (isDue(member)) await commit(member);
    if (isLast) member.isCareful = false;
  };

  const beginBuild = (member: Member, upTo: Mark): PartStore =>
    createPartStore(member.projection, member.checkpoint, upTo, {
      eventStore,
      readModels,
      parking: parkingOf(member),
      isCurrent: () => isActive(member),
    });

  const build = async (member: Member, parts: PartStore, part: BuildPart): Promise<void> => {
    const checkpoint = await parts.take(part);
    if (checkpoint || parts.taken() > member.farthest) member.parts++;
    member.farthest = checkpoint ? 0 : Math.max(member.farthest, parts.taken());
    member.seen += part.own;
    member.of = part.of ?? member.of;
    if (checkpoint) Object.assign(member, { checkpoint, storedAt: performance.now() });
  };

  const built = async (member: Member, parts: PartStore): Promise<void> => {
    member.fold = foldOf(member, parts.whole(), isOf(member));
    await publish(member);
  };

  const cameToEnd = async (member: Member): Promise<void> => {
    member.fold.cameToEnd();
    await publish(member);
  };

  /** Whatever failed, also that the log cannot be followed on from where it is: it begins again at what is stored. */
  const failed = (member: Member, error: unknown) => {
    member.isBroken = true;
    member.errors++;
    member.isCareful = true;
    member.isUngrouped ||= error instanceof AlreadyThere || error instanceof NotGrouped;
    member.lastError = error instanceof Error ? error.message : String(error);
    const how = wantedOf(member).isStrict ? 'strict' : 'tolerant';
    member.stopped = error instanceof PoisonEvent ? how : undefined;
    onError(member.projection.name, error);
    changed();
  };

  /**
   * Applies what waits in a parked stream; where that fails again, it is parked again from there. One that was interrupted is
   * gone on with; one that was done before, or of an event at which the stream is not parked, changes nothing. While all is built group by group it waits.
   */
  const releaseOnce = async (member: Member, release: Release): Promise<void> => {
    const { number, stream, kind } = release;
    const { building, parked, position } = member.fold.checkpoint();
    const held = parked.find((each) => isReleaseDue(release, [each]));
    if (building || !held) return;
    const isToSkip = kind === 'skip' && held.underWay !== number;
    const all = await eventStore.readStream(stream, isToSkip ? held.revision + 1 : held.revision);
    const waiting = all.filter((event) => event.position <= position).map(toFoldable);
    await member.fold.release(stream, waiting, number);
    await publish(member);
  };

  /** What fails on the way is not gone on with. */
  const inTurn =
    <Rest extends readonly unknown[]>(act: (member: Member, ...rest: Rest) => Promise<void>) =>
    (member: Member, ...rest: Rest): Promise<void> =>
      exclusively(member.projection.name, async () => {
        if (member.isBroken) throw new Error('It failed, and begins again at what is stored');
        member.isBroken = true;
        const { errors } = member;
        await act(member, ...rest);
        // Unless its subscription failed meanwhile.
        if (member.errors === errors) member.isBroken = false;
      });

  return {
    join,
    isDue,
    rejoin: (member: Member) => exclusively(member.projection.name, () => rejoin(member)),
    commit: inTurn(commit),
    publish: inTurn(publish),
    advance: inTurn(advance),
    beginBuild,
    build: inTurn(build),
    built: inTurn(built),
    cameToEnd: inTurn(cameToEnd),
    release: inTurn(releaseOnce),
    failed,
  };
};
export type Members = ReturnType<typeof createMembers>;
