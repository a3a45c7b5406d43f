import type { Position, RecordedEvent, Revision } from '../event-store/port.ts';

/** An event that a projection cannot apply, though the store gave all that its handler asked for. */
export interface Poison {
  readonly stream: string;
  readonly revision: Revision;
  readonly position: Position;
  /** The event's id. */
  readonly event: string;
  readonly type: string;
  readonly error: Error;
}

/** The poison event, with the error of its handler. */
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

/** Thrown where a poison event stops the projection. */
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

/** The store did not give what a handler asked for: not the event's fault. */
export class StoreFailure extends Error {
  constructor(cause: unknown) {
    super('The store has failed', { cause });
  }
}

/** A store's answer, or a failure marked as the store's. @throws StoreFailure */
export const fromStore = async <T>(answer: Promise<T>): Promise<T> => {
  try {
    return await answer;
  } catch (error) {
    throw error instanceof StoreFailure ? error : new StoreFailure(error);
  }
};

/** The same for a store that answers synchronously. @throws StoreFailure */
export const fromStoreAtOnce = <T>(ask: () => T): T => {
  try {
    return ask();
  } catch (error) {
    throw new StoreFailure(error);
  }
};
