import {
  RateLimiterMemory,
  RateLimiterMongo,
  RateLimiterRes,
  type RateLimiterAbstract,
} from 'rate-limiter-flexible';
import type { Ask } from './answers.ts';
import type { Connection } from './client.ts';

const COLLECTION = 'rate_limits';

/** A request waits no longer for what only limits its rate. */
const CONSUME_MS = 1_000;

/** Makes what keeps one document for each key, and drops those whose window is over. */
const ensureIndexes = (ask: Ask): Promise<unknown> =>
  ask((db) =>
    db.collection(COLLECTION).createIndexes([
      { key: { expire: 1 }, name: 'expire', expireAfterSeconds: 0 },
      { key: { key: 1 }, name: 'key', unique: true },
    ]),
  );

/**
 * A limit that all processes share. While the server does not answer, each counts for itself. What is lost with a server
 * lets a few requests more pass, so one member's word is enough.
 *
 * @param seconds length of a window, in which there are so many points
 */
export const createSharedLimiter = (
  { client, ask }: Connection,
  points: number,
  seconds: number,
): Pick<RateLimiterAbstract, 'consume'> => {
  const window = { points, duration: seconds };
  const shared = new RateLimiterMongo({
    ...window,
    storeClient: client.db(undefined, { writeConcern: { w: 1 } }),
    tableName: COLLECTION,
    keyPrefix: '',
    // Whoever is over the limit is not asked about again until the window ends.
    inMemoryBlockOnConsumed: points + 1,
    disableIndexesCreation: true,
  });
  const alone = new RateLimiterMemory(window);
  let indexes: Promise<unknown> | undefined;
  /** Before the first document: without them there would be several of a key, and they could not be made any more. */
  const indexed = () =>
    (indexes ??= ensureIndexes(ask).catch((error: unknown) => {
      indexes = undefined;
      throw error;
    }));
  return {
    async consume(key, more) {
      try {
        return await ask(async () => {
          await indexed();
          return shared.consume(key, more);
        }, CONSUME_MS);
      } catch (error) {
        if (error instanceof RateLimiterRes) throw error;
        return alone.consume(key, more);
      }
    },
  };
};
