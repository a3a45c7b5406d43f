import type { RateLimiterRes } from 'rate-limiter-flexible';
import { createBoundedCache } from '../lib/bounded-cache.ts';
import type { Caller } from '../access/access.ts';
import type { Quota } from '../application/quota.ts';
import { tooMany } from '../errors/domain-error.ts';
import { memoizeByIdentity } from '../lib/memoize-by-identity.ts';
import { tryConsumePoints, createLocalLimiter, type CreateLimiter } from './rate-limit.ts';

/** What an ordinary user may add in a day; 0 is as much as it likes. */
export interface QuotaSettings {
  readonly eventsPerDay: number;
  readonly idempotencyRecordsPerDay: number;
}
/** Undefined for a caller without quotas. */
export type FindQuota = (caller: Caller) => Quota | undefined;

const DAY_SECONDS = 24 * 60 * 60;
/** Users whose quota is used up, and who are refused without being counted. */
const MAX_REFUSED = 10_000;

/**
 * A number of things a day for each user, from the first one on. They are counted once they are stored, and no request
 * waits for that, so requests under way at the limit may go a little beyond it.
 */
const createDailyQuota = (things: string, perDay: number, createLimiter: CreateLimiter) => {
  if (perDay === 0) return { check: () => undefined, count: () => undefined };
  const limiter = createLimiter(perDay, DAY_SECONDS);
  const usedUp = createBoundedCache<true>(MAX_REFUSED);
  const note = (user: string, { remainingPoints, msBeforeNext }: RateLimiterRes): void => {
    // Where the clock was set back, the day seems longer.
    const ttl = Math.min(Math.max(1, msBeforeNext), DAY_SECONDS * 1_000);
    if (remainingPoints <= 0) usedUp.set(user, true, { ttl });
  };
  return {
    check(user: string): void {
      const seconds = Math.ceil(usedUp.getRemainingTTL(user) / 1_000);
      if (seconds > 0)
        throw tooMany(
          `You have stored as many ${things} as a user may in a day: ${perDay}; Retry-After says when the next day begins`,
          seconds,
        );
    },
    count(user: string, number: number): void {
      if (number === 0) return;
      void tryConsumePoints(limiter, `${things} of ${user}`, number).then(({ seen }) => note(user, seen));
    },
  };
};

/**
 * Quotas for what ordinary users can add to the event log and to the records of idempotency keys. Applications and
 * administrators have none: the rest of the business records its facts through them.
 */
export const createQuotaFinder = (
  { eventsPerDay, idempotencyRecordsPerDay }: QuotaSettings,
  createLimiter = createLocalLimiter,
): FindQuota => {
  const events = createDailyQuota('events', eventsPerDay, createLimiter);
  const keys = createDailyQuota('Idempotency-Keys', idempotencyRecordsPerDay, createLimiter);
  return memoizeByIdentity(({ user }: Caller): Quota | undefined => {
    if (!user || user.isAdmin) return undefined;
    const { id } = user;
    return {
      check(isKeyed) {
        events.check(id);
        if (isKeyed) keys.check(id);
      },
      count(added) {
        events.count(id, added.events);
        keys.count(id, added.idempotencyRecords);
      },
    };
  });
};
