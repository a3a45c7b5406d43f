import type { Position, RecordedEvent, Revision } from '../event-store/port.ts';

/** An event that a projection cannot fold, though all it needs could be read. */
export interface Poison {
  readonly stream: string;
  readonly revision: Revision;
  readonly position: Position;
  /** The event's id. */
  readonly event: string;
  readonly type: string;
  readonly error: Error;
}

/** The event, and what its handler failed with. */
export const poisonIn = (
  {
    stream,
    revision,
    position,
    id,
    type,
  }: Pick<RecordedEvent, 'stream' | 'revision' | 'position' | 'id' | 'type'>,
  error: unknown,
): Poison => ({
  stream,
  revision,
  position,
  event: id,
  type,
  error: error instanceof Error ? error : new Error(String(error)),
});

/** Thrown where such an event stops everything. */
export class PoisonEvent extends Error {
  readonly poison: Poison;

  constructor(poison: Poison) {
    const { type, stream, revision, position, error } = poison;
    super(`${type} (event ${revision} of ${stream}, at ${position}) cannot be applied: ${error.message}`, {
      cause: error,
    });
    this.poison = poison;
  }
}

/** A store that did not give what a handler asked for: no fault of the event's. */
export class StoreFailure extends Error {
  constructor(cause: unknown) {
    super('The store has failed', { cause });
  }
}

/** What a store gives, or a failure that says that it was the store. @throws StoreFailure */
export const fromStore = async <T>(answer: Promise<T>): Promise<T> => {
  try {
    return await answer;
  } catch (error) {
    throw error instanceof StoreFailure ? error : new StoreFailure(error);
  }
};

/** The same of a store that answers at once. @throws StoreFailure */
export const fromStoreAtOnce = <T>(ask: () => T): T => {
  try {
    return ask();
  } catch (error) {
    throw new StoreFailure(error);
  }
};
