import { setTimeout as delay } from 'node:timers/promises';
import type { DomainEvent } from '../../src/domain/index.ts';
import { handlerOf, type ProjectionDocuments, type Projection } from '../../src/projector/projection.ts';
import type { ReadModelStore } from '../../src/read-models/port.ts';
import type { Chance } from '../support/seeded.ts';
import { placeOf } from './ledger.ts';
import type { Poisoned } from './memory-parked.ts';

/** The faults of a run, until it is calm. */
export interface Faults {
  readonly chance: Chance;
  /** Whether random failures have ended. */
  isCalm: boolean;
  /** Emptied once the handlers are fixed. */
  poison: readonly Poisoned[];
  /** How often a handler has failed at an event by chance. */
  readonly failed: Map<string, number>;
  /** How many parts of events were stored, and after how many of those the store failed or the process died. */
  readonly parts: { stored: number; brokenOff: number };
  /** Projections that committed after a failed commit without preparing again. */
  readonly blind: string[];
}

/** Fewer than the failures that park a stream. */
const MAX_FAILURES = 2;

const dawdle = async ({ chance, isCalm }: Faults): Promise<void> => {
  if (!isCalm && chance.isTrue(0.2)) await delay(chance.next() * 5);
};
const failNowAndThen = ({ chance, isCalm }: Faults, probability = 0.02): void => {
  if (!isCalm && chance.isTrue(probability)) throw new Error('the store is away');
};
const shake = async (faults: Faults): Promise<void> => {
  await dawdle(faults);
  failNowAndThen(faults);
};

/** The delay of a message on its way to the store. */
export const onTheWay = (faults: Faults) => (): Promise<void> => dawdle(faults);

/**
 * A store that is slow, and fails before or after it has done what it was asked for.
 *
 * @param die ends the process as kill -9 does
 */
export const shaky = (store: ReadModelStore, faults: Faults, die: () => void): ReadModelStore => {
  /** By projection, whether a commit has failed since it was prepared. */
  const hasFailed = new Map<string, { isSo: boolean }>();
  /** Fails often between two parts of an event, where recovery is hardest. */
  const breakOff = (): void => {
    faults.parts.stored++;
    if (faults.isCalm || !faults.chance.isTrue(0.6)) return;
    faults.parts.brokenOff++;
    if (faults.chance.isTrue(0.5)) die();
    throw new Error('the store is away after a part');
  };
  return {
    ...store,
    async prepare(projection) {
      await shake(faults);
      const checkpoint = await store.prepare(projection);
      hasFailed.set(projection.name, { isSo: false });
      return checkpoint;
    },
    async commit(projection, writes, checkpoint) {
      const failure = hasFailed.get(projection.name) ?? { isSo: false };
      if (failure.isSo) faults.blind.push(projection.name);
      try {
        await shake(faults);
        await store.commit(projection, writes, checkpoint);
        if (checkpoint.isBetween) breakOff();
        await shake(faults);
      } catch (error) {
        failure.isSo = true;
        throw error;
      }
    },
    async get(collection, id) {
      await shake(faults);
      return store.get(collection, id);
    },
  };
};

const failAtRandom = ({ chance, isCalm, failed }: Faults, event: string): void => {
  const failures = failed.get(event) ?? 0;
  if (isCalm || failures >= MAX_FAILURES || !chance.isTrue(0.01)) return;
  failed.set(event, failures + 1);
  throw new Error('not this time');
};

/** The same projection with handlers that fail at random, and always at poison events. */
export const faulty = (projection: Projection, faults: Faults): Projection => ({
  ...projection,
  handlers: Object.fromEntries(
    Object.keys(projection.handlers).map((type) => [
      type,
      (event: DomainEvent, documents: ProjectionDocuments) => {
        handlerOf(projection, type)?.(event, documents);
        const { stream, revision } = placeOf(event);
        const isIt = (each: Poisoned) =>
          each.projection === projection.name && each.stream === stream && each.revision === revision;
        if (faults.poison.some(isIt)) throw new Error('poison');
        // A group-by-group build parks a stream at its first failure, without retries.
        if (!projection.shared) failAtRandom(faults, `${projection.name} ${stream} ${revision}`);
      },
    ]),
  ),
});
