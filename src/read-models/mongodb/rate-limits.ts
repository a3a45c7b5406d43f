import {
  RateLimiterMemory,
  RateLimiterMongo,
  RateLimiterRes,
  type RateLimiterAbstract,
} from 'rate-limiter-flexible';
import type { Ask } from './answers.ts';
import type { MongoConnection } from './client.ts';

const COLLECTION = 'rate_limits';

/** How long a request waits for its rate limit at most. */
const CONSUME_MS = 1_000;

/** Indexes that keep one document for each key, and drop those whose window is over. */
const ensureIndexes = (ask: Ask): Promise<unknown> =>
  ask((db) =>
    db.collection(COLLECTION).createIndexes([
      { key: { expire: 1 }, name: 'expire', expireAfterSeconds: 0 },
      { key: { key: 1 }, name: 'key', unique: true },
    ]),
  );

/**
 * A rate limit that all processes share. While MongoDB does not answer, each process counts for itself. Write concern 1
 * will do: counts lost with a server let a few requests more pass.
 *
 * @param seconds length of a window, in which a key has so many points
 */
export const createSharedLimiter = (
  { client, ask }: MongoConnection,
  points: number,
  seconds: number,
): Pick<RateLimiterAbstract, 'consume'> => {
  const window = { points, duration: seconds };
  const shared = new RateLimiterMongo({
    ...window,
    storeClient: client.db(undefined, { writeConcern: { w: 1 } }),
    tableName: COLLECTION,
    keyPrefix: '',
    // A client over the limit is refused from memory until the window ends.
    inMemoryBlockOnConsumed: points + 1,
    disableIndexesCreation: true,
  });
  const alone = new RateLimiterMemory(window);
  let indexes: Promise<unknown> | undefined;
  /** Before the first document: without them a key could have several, and the unique index could no longer be made. */
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
