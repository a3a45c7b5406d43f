import { setTimeout as pause } from 'node:timers/promises';
import type { Delivery } from './code-delivery.ts';

/**
 * Retries a delivery.
 *
 * @param options.pauseMs between two tries
 * @param options.onFailure called for each failed try, counted from 1
 * @returns rejects with the last failure
 */
export const withRetries =
  (
    delivery: Delivery,
    options: {
      readonly attempts: number;
      readonly pauseMs: number;
      readonly onFailure?: (error: unknown, attempt: number) => void;
    },
  ): Delivery =>
  async (to, message) => {
    const { attempts, pauseMs, onFailure } = options;
    for (let attempt = 1; ; attempt += 1) {
      try {
        await delivery(to, message);
        return;
      } catch (error) {
        onFailure?.(error, attempt);
        if (attempt >= attempts) throw error;
        await pause(pauseMs);
      }
    }
  };
