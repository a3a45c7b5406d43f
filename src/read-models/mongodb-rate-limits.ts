import type { Db } from 'mongodb';
import {
  RateLimiterMemory,
  RateLimiterMongo,
  RateLimiterRes,
  type RateLimiterAbstract,
} from 'rate-limiter-flexible';
import { answered } from './mongodb-answers.ts';

const COLLECTION = 'rate_limits';

/** A request waits no longer for what only limits its rate. */
const CONSUME_MS = 1_000;

/**
 * A limit that all processes share. While the server does not answer, each counts for itself. What is lost with a server
 * lets a few requests more pass, so one member's word is enough.
 *
 * @param seconds length of a window, in which there are so many points
 */
export const createSharedLimiter = (
  db: Db,
  points: number,
  seconds: number,
): Pick<RateLimiterAbstract, 'consume'> => {
  const window = { points, duration: seconds };
  const shared = new RateLimiterMongo({
    ...window,
    storeClient: db.client.db(db.databaseName, { writeConcern: { w: 1 } }),
    tableName: COLLECTION,
    keyPrefix: '',
    // Whoever is over the limit is not asked about again until the window ends.
    inMemoryBlockOnConsumed: points + 1,
    disableIndexesCreation: true,
  });
  const alone = new RateLimiterMemory(window);
  return {
    async consume(key, more) {
      try {
        return await answered(() => shared.consume(key, more), CONSUME_MS);
      } catch (error) {
        if (error instanceof RateLimiterRes) throw error;
        return alone.consume(key, more);
      }
    },
  };
};

/** Makes what the shared limits need. */
export const ensureRateLimitIndexes = async (db: Db): Promise<void> => {
  await answered(() =>
    db.collection(COLLECTION).createIndexes([
      { key: { expire: 1 }, name: 'expire', expireAfterSeconds: 0 },
      { key: { key: 1 }, name: 'key', unique: true },
    ]),
  );
};
