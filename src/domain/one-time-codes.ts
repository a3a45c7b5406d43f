import type { Code, UserState } from './user.ts';

/** Rules of the one-time codes and of the tokens that follow from them (decisions, 4.1). */
export const CODE_MINUTES = 10;
export const TOKEN_MINUTES = 10;
export const MOST_ATTEMPTS = 5;
export const MOST_ISSUED_AN_HOUR = 5;

export const minutesAfter = (now: string, minutes: number): string =>
  new Date(Date.parse(now) + minutes * 60_000).toISOString();

/** Seconds until another code may be issued, by SMS or by mail; 0: now. */
export const secondsUntilNextCode = ({ codes }: UserState, now: string): number => {
  const hourAgo = minutesAfter(now, -60);
  const recent = [...codes.values()]
    .map(({ issuedAt }) => issuedAt)
    .filter((at) => at > hourAgo)
    .sort();
  const oldest = recent.at(-MOST_ISSUED_AN_HOUR);
  return oldest === undefined ? 0 : Math.ceil((Date.parse(oldest) - Date.parse(hourAgo)) / 1_000);
};

/** Whether a code can still be answered. */
export const isOpen = (code: Code, now: string): boolean =>
  !code.isVoid && code.refusals < MOST_ATTEMPTS && code.tokenExpiresAt === null && now < code.expiresAt;

/** Whether the token that follows from a code can still be used, once. */
export const isTokenValid = (code: Code, now: string): boolean =>
  code.tokenExpiresAt !== null && now < code.tokenExpiresAt && !code.isUsed;
