import { randomFillSync } from 'node:crypto';
import { v7 } from 'uuid';

const pool = new Uint8Array(4_096);
let used = pool.length;

/** Asking the system for many random bytes at once costs little more than asking for 16. */
const randomBytes = (): Uint8Array => {
  if (used === pool.length) {
    randomFillSync(pool);
    used = 0;
  }
  return pool.subarray(used, (used += 16));
};

/** A new UUIDv7: it sorts by time and cannot be guessed. */
export const newUuid = (): string => v7({ random: randomBytes() });
