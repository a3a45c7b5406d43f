import { randomInt } from 'node:crypto';
import { newUuid } from '../lib/uuid.ts';

/** Ids are unique, codes cannot be guessed. */
export interface IdAndCodeGenerator {
  /** A UUIDv7, which sorts by time. */
  uuid(): string;
  /** Six digits, all equally likely. */
  code(): string;
}

export const randomIdAndCodeGenerator: IdAndCodeGenerator = {
  uuid: newUuid,
  code: () => String(randomInt(1_000_000)).padStart(6, '0'),
};
