import { setImmediate } from 'node:timers/promises';
import type { QuarantineRecords } from './builds/quarantine.ts';
import { START, type EventBatch, type EventStore, type Position, type Revision } from './event-store/port.ts';
import { createExclusive } from './exclusive.ts';
import { createFold, toFoldable, type Fold, type FoldableEvent } from './fold.ts';
import { PoisonEvent, type Poison } from './poison.ts';
import { handlerOf, type Projection } from './projection.ts';
import type { Building, ReadModelStore } from './read-models/port.ts';

/** A projection that the projector is to keep up to date. */
export interface Wanted {
  readonly projection: Projection;
  /** Folded apart from the others, so that those never wait for it. */
  readonly isApart?: boolean;
  /** Events a second at most. */
  readonly throttle?: number | undefined;
  /** Whether an event that cannot be folded stops it, or only its stream; it does where nobody keeps records of such. */
  readonly isStrict?: boolean;
}

/** A projection that this process keeps up to date. */
export interface Member extends Wanted {
  fold: Fold;
  /** Streams that wait, and from which of their events on, since that cannot be folded. */
  readonly waiting: Map<string, Revision>;
  /** Such events that are not recorded yet. */
  unrecorded: Poison[];
  /** The checkpoint. */
  position: Position;
  /** How far it is built from the streams, before it has a checkpoint. */
  building: Building | undefined;
  /** The id of the log's first event, once there is one. */
  log: string | undefined;
  /** When what there was to store was last committed; milliseconds of this process. */
  storedAt: number;
  /** Events that it has folded since it began. */
  seen: number;
  errors: number;
  lastError: string | undefined;
  /** After a failure each batch is stored by itself, so that what came before the faulty one is kept. */
  isCareful: boolean;
  /** That it failed at an event that cannot be folded, and how it was wanted then. */
  stopped: 'strict' | 'tolerant' | undefined;
}

export interface MemberActions {
  readonly eventStore: Pick<EventStore, 'readAll' | 'readStream' | 'holds'>;
  readonly readModels: ReadModelStore;
  /** Whether so many documents wait to be stored that they must not become more. */
  readonly isFull: () => boolean;
  /** How long documents wait to be stored while there is more to fold. */
  readonly storeEveryMs: number;
  /** False once the lease was lost, whoever has it now. */
  readonly isActive: (member: Member) => boolean;
  /** How a member is wanted by now. */
  readonly wantedOf: (member: Wanted) => Wanted;
  readonly changed: () => void;
  readonly onError: (projection: string, error: unknown) => void;
  /** Left out: an event that cannot be folded stops its projection. */
  readonly quarantine?: QuarantineRecords | undefined;
}

/** With more streams that wait it is not the events that are wrong. */
const MOST_WAITING_STREAMS = 100;

/** How many of some events are of a projection's types. */
export const countOwn = ({ projection }: Wanted, events: readonly FoldableEvent[]): number =>
  events.reduce((count, { type }) => (handlerOf(projection, type) ? count + 1 : count), 0);

/** Members begin at their checkpoints, fold what they are given, and store it. */
export const createMembers = (actions: MemberActions) => {
  const { eventStore, readModels, isFull, storeEveryMs, isActive, wantedOf, changed, onError, quarantine } =
    actions;
  /** One thing at a time for each member: a batch, or what has waited. */
  const exclusively = createExclusive();
  let first: string | undefined;
  const firstEvent = async () => (first ??= (await eventStore.readAll(START, 1))[0]?.id);

  /** @param before what is still on its way into the store, well or not */
  const foldFrom = (
    member: Wanted,
    held: Pick<Member, 'waiting' | 'unrecorded'>,
    at: { readonly position: Position; readonly isEmpty: boolean },
    before?: Promise<void>,
  ): Fold => {
    const { projection } = member;
    const take = (poison: Poison): void => {
      if (wantedOf(member).isStrict || held.waiting.size >= MOST_WAITING_STREAMS)
        throw new PoisonEvent(poison);
      held.waiting.set(poison.stream, poison.revision);
      held.unrecorded.push(poison);
      onError(projection.name, new PoisonEvent(poison));
    };
    // What came before is folded, again where it was recorded that the stream waits and no more was stored.
    const holds = (stream: string, revision: Revision) => revision >= (held.waiting.get(stream) ?? Infinity);
    return createFold(readModels, projection, { ...at, quarantine: quarantine && { holds, take } }, before);
  };

  const join = async (wanted: Wanted): Promise<Member> => {
    const { projection } = wanted;
    const log = await firstEvent();
    let checkpoint = await readModels.prepare(projection);
    // A checkpoint of another log, or of one that has lost its end, says nothing about this one.
    const reached = checkpoint?.building?.upTo ?? checkpoint?.position ?? START;
    if (checkpoint && (checkpoint.log !== log || !(await eventStore.holds(reached)))) {
      await readModels.reset(projection);
      checkpoint = undefined;
    }
    const { position = START, building } = checkpoint ?? {};
    const records = (await quarantine?.of(projection.name)) ?? [];
    const held = {
      waiting: new Map(records.map(({ stream, revision }) => [stream, revision])),
      unrecorded: [],
    };
    const fold = foldFrom(wanted, held, { position, isEmpty: checkpoint === undefined });
    return {
      ...wanted,
      ...held,
      fold,
      position,
      building,
      log,
      storedAt: performance.now(),
      seen: 0,
      errors: 0,
      lastError: undefined,
      isCareful: false,
      stopped: undefined,
    };
  };

  const commit = async (member: Member): Promise<void> => {
    const { fold } = member;
    // Also when there is nothing to store, or it would be due again and again.
    member.storedAt = performance.now();
    if (fold.position() === member.position && fold.waiting() === 0 && member.unrecorded.length === 0) return;
    member.log ??= await firstEvent();
    if (member.log === undefined) {
      if (fold.waiting() > 0) throw new Error('The log has events and no first one');
      // Of what only others have written so far there is nothing to keep, and no log to keep it of.
      return;
    }
    // Before the checkpoint passes them.
    const poisons = member.unrecorded.splice(0);
    try {
      if (poisons.length > 0) await quarantine?.add(member.projection.name, poisons);
    } catch (error) {
      member.unrecorded.unshift(...poisons);
      throw error;
    }
    await fold.commit(member.log, { isOurs: () => isActive(member), building: member.building });
  };

  /** Whether its documents should be stored though there is more to fold. */
  const isDue = ({ storedAt }: Member): boolean => isFull() || performance.now() - storedAt >= storeEveryMs;

  let flushing: Promise<void> | undefined;
  /** One for all that commit in the same turn. */
  const flush = (): Promise<void> =>
    (flushing ??= setImmediate().then(() => {
      flushing = undefined;
      return readModels.flush();
    }));

  /** Commits what a member has folded, and says so when others can see it. */
  const publish = async (member: Member): Promise<void> => {
    await commit(member);
    await member.fold.settled();
    await flush();
    member.position = member.fold.position();
    member.lastError = undefined;
    member.stopped = undefined;
    changed();
  };

  const advance = async (
    member: Member,
    events: readonly FoldableEvent[],
    { position, isLast }: EventBatch,
  ): Promise<void> => {
    await member.fold.add(events, position);
    member.seen += countOwn(member, events);
    if (isLast || member.isCareful) await publish(member);
    else if (isDue(member)) await commit(member);
    if (isLast) member.isCareful = false;
  };

  const failed = (member: Member, error: unknown) => {
    const { fold, projection, position, building } = member;
    // What is stored of a build that has failed is dropped before it begins anew.
    const at = { position, isEmpty: position === START };
    if (building) member.building = undefined;
    // What is not recorded comes again.
    for (const { stream } of member.unrecorded.splice(0)) member.waiting.delete(stream);
    member.fold = foldFrom(member, member, at, fold.settled());
    member.errors++;
    member.isCareful = true;
    member.lastError = error instanceof Error ? error.message : String(error);
    const how = wantedOf(member).isStrict ? 'strict' : 'tolerant';
    member.stopped = error instanceof PoisonEvent ? how : undefined;
    onError(projection.name, error);
    changed();
  };

  /**
   * Folds what a stream has waited with, from a revision on; where that fails again, it waits again from there. Does nothing
   * while all is built anew, stream by stream: that may have passed this one.
   */
  const release = async (member: Member, stream: string, from: Revision): Promise<void> => {
    if (member.fold.position() === START) return;
    await publish(member);
    const all = await eventStore.readStream(stream, from);
    const late = all.filter(({ position }) => position <= member.fold.position()).map(toFoldable);
    const before = member.waiting.get(stream) ?? from;
    member.waiting.delete(stream);
    try {
      await member.fold.addLate(late);
      await publish(member);
    } catch (error) {
      member.waiting.set(stream, before);
      member.unrecorded.splice(0);
      // What it had folded by then would be stored with the next batch.
      const at = { position: member.position, isEmpty: false };
      member.fold = foldFrom(member, member, at, member.fold.settled());
      throw error;
    }
    if (!member.waiting.has(stream)) await quarantine?.remove(member.projection.name, stream);
  };

  const inTurn =
    <Rest extends readonly unknown[]>(act: (member: Member, ...rest: Rest) => Promise<void>) =>
    (member: Member, ...rest: Rest): Promise<void> =>
      exclusively(member.projection.name, () => act(member, ...rest));

  return {
    join,
    isDue,
    commit: inTurn(commit),
    publish: inTurn(publish),
    advance: inTurn(advance),
    release: inTurn(release),
    failed,
  };
};
export type Members = ReturnType<typeof createMembers>;
