import { randomInt } from 'node:crypto';
import { newUuid } from '../lib/uuid.ts';

/** What is made up here and must not be guessed or meet twice. */
export interface Ids {
  /** A UUIDv7: sorts by time. */
  uuid(): string;
  /** Six digits of equal chance. */
  code(): string;
}

export const randomIds: Ids = {
  uuid: newUuid,
  code: () => String(randomInt(1_000_000)).padStart(6, '0'),
};
