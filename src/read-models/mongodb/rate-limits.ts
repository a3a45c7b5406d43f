import {
  RateLimiterMemory,
  RateLimiterMongo,
  RateLimiterRes,
  type RateLimiterAbstract,
} from 'rate-limiter-flexible';
import { once } from '../../lib/once.ts';
import type { Ask } from './answers.ts';
import type { MongoConnection } from './client.ts';

const COLLECTION = 'rate_limits';

/** How long a request waits for its rate limit at most. */
const CONSUME_MS = 1_000;

/** How far the clock of an instance may be ahead of another's. */
const CLOCKS_DIFFER_MS = 60_000;

/** Indexes that keep one document for each key, and drop those whose window is over. */
const ensureIndexes = (ask: Ask): Promise<unknown> =>
  ask((db) =>
    db.collection(COLLECTION).createIndexes([
      { key: { expire: 1 }, name: 'expire', expireAfterSeconds: 0 },
      { key: { key: 1 }, name: 'key', unique: true },
    ]),
  );

/** What was counted, whether or not it is over the limit. @throws what a limiter fails with otherwise */
const countedBy = (consumed: Promise<RateLimiterRes>): Promise<RateLimiterRes> =>
  consumed.catch((error: unknown) => {
    if (error instanceof RateLimiterRes) return error;
    throw error;
  });

/**
 * A rate limit that all processes share. A window that ends later than any can was begun by an instance whose clock was
 * ahead, and is begun anew, or its client would be refused until then. While MongoDB does not answer, each process
 * counts for itself. Write concern 1 will do: counts lost with a server let a few requests more pass.
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
  /** @throws RateLimiterRes over the limit */
  const consume = async (key: string | number, more: number | undefined): Promise<RateLimiterRes> => {
    const consumed = shared.consume(key, more);
    const { msBeforeNext } = await countedBy(consumed);
    if (msBeforeNext <= seconds * 1_000 + CLOCKS_DIFFER_MS) return consumed;
    await shared.delete(key);
    return shared.consume(key, more);
  };
  /** Before the first document: without them a key could have several, and the unique index could no longer be made. */
  const indexed = once(() => ensureIndexes(ask));
  return {
    async consume(key, more) {
      try {
        return await ask(async () => {
          await indexed();
          return await consume(key, more);
        }, CONSUME_MS);
      } catch (error) {
        if (error instanceof RateLimiterRes) throw error;
        return alone.consume(key, more);
      }
    },
  };
};
