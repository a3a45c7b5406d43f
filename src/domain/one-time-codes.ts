import type { OneTimeCode } from './user.ts';

/** Rules of one-time codes and their tokens (decisions, 4.1). */
export const CODE_MINUTES = 10;
export const TOKEN_MINUTES = 10;
const MAX_CODE_ATTEMPTS = 5;
/** To a user over any channel, and to a number by SMS for all users together. */
export const MAX_CODES_AN_HOUR = 5;

export const minutesAfter = (now: string, minutes: number): string =>
  new Date(Date.parse(now) + minutes * 60_000).toISOString();

/** Whether a code can still be answered. */
export const isCodeOpen = (code: OneTimeCode, now: string): boolean =>
  !code.isVoid && code.refusals < MAX_CODE_ATTEMPTS && code.tokenExpiresAt === null && now < code.expiresAt;

/** Whether the code's token can still be used, which works once. */
export const hasUsableToken = (code: OneTimeCode, now: string): boolean =>
  code.tokenExpiresAt !== null && now < code.tokenExpiresAt && !code.isUsed;
