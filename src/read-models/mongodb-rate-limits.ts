import type { Db } from 'mongodb';
import { RateLimiterMemory, RateLimiterMongo, type RateLimiterAbstract } from 'rate-limiter-flexible';

const COLLECTION = 'rate_limits';

/**
 * A limit that all processes share. While the server does not answer, each counts for itself. What is lost with a server
 * lets a few requests more pass, so one member's word is enough.
 *
 * @param seconds length of a window, in which there are so many points
 */
export const createSharedLimiter = (db: Db, points: number, seconds: number): RateLimiterAbstract => {
  const rateLimits = db.client.db(db.databaseName, { writeConcern: { w: 1 } });
  return new RateLimiterMongo({
    storeClient: rateLimits,
    tableName: COLLECTION,
    keyPrefix: '',
    points,
    duration: seconds,
    // Whoever is over the limit is not asked about again until the window ends.
    inMemoryBlockOnConsumed: points + 1,
    disableIndexesCreation: true,
    insuranceLimiter: new RateLimiterMemory({ points, duration: seconds }),
  });
};

/** Makes what the shared limits need. */
export const ensureRateLimitIndexes = async (db: Db): Promise<void> => {
  await db.collection(COLLECTION).createIndexes([
    { key: { expire: 1 }, name: 'expire', expireAfterSeconds: 0 },
    { key: { key: 1 }, name: 'key', unique: true },
  ]);
};
