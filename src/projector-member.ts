import { setImmediate } from 'node:timers/promises';
import { START, type EventBatch, type EventStore, type Position } from './event-store/port.ts';
import { createFold, type Fold, type FoldableEvent } from './fold.ts';
import type { Projection } from './projection.ts';
import type { Building, ReadModelStore } from './read-models/port.ts';

/** A projection that the projector is to keep up to date. */
export interface Wanted {
  readonly projection: Projection;
  /** Folded apart from the others, so that those never wait for it. */
  readonly isApart?: boolean;
  /** Events a second at most. */
  readonly throttle?: number | undefined;
}

/** A projection that this process keeps up to date. */
export interface Member extends Wanted {
  fold: Fold;
  /** The checkpoint. */
  position: Position;
  /** How far it is built from the streams, before it has a checkpoint. */
  building: Building | undefined;
  /** The id of the log's first event, once there is one. */
  log: string | undefined;
  /** Events that it was given since it began. */
  seen: number;
  errors: number;
  lastError: string | undefined;
  /** After a failure each batch is stored by itself, so that what came before the faulty one is kept. */
  isCareful: boolean;
}

export interface MemberActions {
  readonly eventStore: Pick<EventStore, 'readAll' | 'holds'>;
  readonly readModels: ReadModelStore;
  /** How many documents of a projection may wait to be stored while there is more to fold. */
  readonly mostWaiting: number;
  /** False once the lease was lost, whoever has it now. */
  readonly isActive: (member: Member) => boolean;
  readonly changed: () => void;
  readonly onError: (projection: string, error: unknown) => void;
}

/** Members begin at their checkpoints, fold what they are given, and store it. */
export const createMembers = (actions: MemberActions) => {
  const { eventStore, readModels, mostWaiting, isActive, changed, onError } = actions;
  let first: string | undefined;
  const firstEvent = async () => (first ??= (await eventStore.readAll(START, 1))[0]?.id);

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
    const fold = createFold(readModels, projection, { position, isEmpty: checkpoint === undefined });
    return {
      ...wanted,
      fold,
      position,
      building,
      log,
      seen: 0,
      errors: 0,
      lastError: undefined,
      isCareful: false,
    };
  };

  const commit = async (member: Member): Promise<void> => {
    const { fold } = member;
    if (fold.position() === member.position && fold.waiting() === 0) return;
    member.log ??= await firstEvent();
    if (member.log === undefined) throw new Error('The log has events and no first one');
    await fold.commit(member.log, { isOurs: () => isActive(member), building: member.building });
  };

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
    changed();
  };

  const advance = async (
    member: Member,
    events: readonly FoldableEvent[],
    { position, isLast }: EventBatch,
  ): Promise<void> => {
    await member.fold.add(events, position);
    member.seen += events.length;
    if (isLast || member.isCareful) await publish(member);
    else if (member.fold.waiting() >= mostWaiting) await commit(member);
    if (isLast) member.isCareful = false;
  };

  const failed = (member: Member, error: unknown) => {
    const { fold, projection, position, building } = member;
    // What is stored of a build that has failed is dropped before it begins anew.
    const at = { position, isEmpty: position === START };
    if (building) member.building = undefined;
    member.fold = createFold(readModels, projection, at, fold.settled());
    member.errors++;
    member.isCareful = true;
    member.lastError = error instanceof Error ? error.message : String(error);
    onError(projection.name, error);
    changed();
  };

  return { join, commit, publish, advance, failed };
};
export type Members = ReturnType<typeof createMembers>;
