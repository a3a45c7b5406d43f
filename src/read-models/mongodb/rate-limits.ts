import type { Db } from 'mongodb';
import { RateLimiterMemory, RateLimiterRes, type RateLimiterAbstract } from 'rate-limiter-flexible';
import { onceUnlessFailed } from '../../lib/once-unless-failed.ts';
import type { RunOnDatabase } from './run-on-database.ts';
import { nullIfDuplicateKey, type MongoConnection } from './client.ts';

const COLLECTION = 'rate_limits';

/** How long a request waits for its rate limit at most. */
const CONSUME_MS = 1_000;

/** How far the clock of an instance may be ahead of another's. */
const CLOCKS_DIFFER_MS = 60_000;

/** Indexes that keep one document for each key, and drop those whose window is over. */
const ensureRateLimitIndexes = (ask: RunOnDatabase): Promise<unknown> =>
  ask((db) =>
    db.collection(COLLECTION).createIndexes([
      { key: { expire: 1 }, name: 'expire', expireAfterSeconds: 0 },
      { key: { key: 1 }, name: 'key', unique: true },
    ]),
  );

/** How often a key was counted in its window. */
interface Count {
  readonly key: string;
  readonly points: number;
  readonly expire: Date;
}

/**
 * A rate limit that all processes share. A window that ends later than any can was begun by an instance whose clock was
 * ahead, and is begun anew, or its client would be refused until then. While MongoDB does not answer, each process
 * counts for itself. Write concern 1 will do: counts lost with a server let a few requests more pass.
 *
 * @param seconds length of a window, in which a key has so many points
 */
export const createSharedLimiter = (
  { ask }: MongoConnection,
  points: number,
  seconds: number,
): Pick<RateLimiterAbstract, 'consume'> => {
  const windowMs = seconds * 1_000;
  const longestMs = windowMs + CLOCKS_DIFFER_MS;
  const alone = new RateLimiterMemory({ points, duration: seconds });
  /** Before the first document, or a key could have several. */
  const indexed = onceUnlessFailed(() => ensureRateLimitIndexes(ask));

  /** Without an upsert: of several at once that find no document, a server need not tell each what it has counted. */
  const count = async (db: Db, key: string, more: number): Promise<Count> => {
    const counts = db.collection<Count>(COLLECTION, { writeConcern: { w: 1 } });
    const now = Date.now();
    const end = new Date(now + windowMs);
    const isOver = { $or: [{ $lte: ['$expire', new Date(now)] }, { $gt: ['$expire', new Date(now + longestMs)] }] };
    const change = {
      points: { $cond: [isOver, more, { $add: ['$points', more] }] },
      expire: { $cond: [isOver, end, '$expire'] },
    };
    const counted = await counts.findOneAndUpdate({ key }, [{ $set: change }], { returnDocument: 'after' });
    if (counted) return counted;
    await counts.insertOne({ key, points: 0, expire: end }).catch(nullIfDuplicateKey);
    return count(db, key, more);
  };

  /** Whether a client is known to be over the limit until its window ends. */
  const isRefused = async (key: string | number): Promise<boolean> => {
    const { consumedPoints = 0, msBeforeNext = 0 } = (await alone.get(key)) ?? {};
    return consumedPoints > points && msBeforeNext > 0 && msBeforeNext <= longestMs;
  };

  return {
    async consume(key, more = 1) {
      if (!(await isRefused(key)))
        try {
          const counted = await ask(async (db) => {
            await indexed();
            return await count(db, String(key), more);
          }, CONSUME_MS);
          const left = Math.max(1, counted.expire.getTime() - Date.now());
          if (counted.points <= points)
            return new RateLimiterRes(points - counted.points, left, counted.points, counted.points === more);
          await alone.block(key, left / 1_000);
        } catch {
          // This process counts for itself.
        }
      return alone.consume(key, more);
    },
  };
};
