import { setTimeout as delay } from 'node:timers/promises';
import type { DomainEvent } from '../../src/domain/index.ts';
import { handlerOf, type Documents, type Projection } from '../../src/projection.ts';
import type { ReadModelStore } from '../../src/read-models/port.ts';
import type { Chance } from '../seeded.ts';
import { placeOf } from './ledger.ts';
import type { Poisoned } from './memory-waits.ts';

/** What goes wrong, until it is over. */
export interface Faults {
  readonly chance: Chance;
  /** Whether stores and handlers do not fail at random any more. */
  isCalm: boolean;
  /** Until somebody has mended the handlers. */
  poison: readonly Poisoned[];
  /** How often a handler has failed at an event by chance. */
  readonly failed: Map<string, number>;
}

/** Fewer than it takes to make an event wait. */
const MOST_FAILURES = 2;

const shake = async ({ chance, isCalm }: Faults): Promise<void> => {
  if (isCalm) return;
  if (chance.isTrue(0.2)) await delay(chance.next() * 5);
  if (chance.isTrue(0.02)) throw new Error('the store is away');
};

/** A store that is slow, and fails before or after it has done what it was asked for. */
export const shaky = (store: ReadModelStore, faults: Faults): ReadModelStore => ({
  ...store,
  async prepare(projection) {
    await shake(faults);
    return store.prepare(projection);
  },
  async commit(projection, writes, checkpoint) {
    await shake(faults);
    await store.commit(projection, writes, checkpoint);
    await shake(faults);
  },
  async get(collection, id) {
    await shake(faults);
    return store.get(collection, id);
  },
});

const failAtRandom = ({ chance, isCalm, failed }: Faults, event: string): void => {
  const failures = failed.get(event) ?? 0;
  if (isCalm || failures >= MOST_FAILURES || !chance.isTrue(0.01)) return;
  failed.set(event, failures + 1);
  throw new Error('not this time');
};

/** The same projection with handlers that fail now and then, and at some events always. */
export const faulty = (projection: Projection, faults: Faults): Projection => ({
  ...projection,
  handlers: Object.fromEntries(
    Object.keys(projection.handlers).map((type) => [
      type,
      async (event: DomainEvent, documents: Documents) => {
        await handlerOf(projection, type)?.(event, documents);
        const { stream, revision } = placeOf(event);
        const isIt = (each: Poisoned) =>
          each.projection === projection.name && each.stream === stream && each.revision === revision;
        if (faults.poison.some(isIt)) throw new Error('poison');
        failAtRandom(faults, `${projection.name} ${stream} ${revision}`);
      },
    ]),
  ),
});
