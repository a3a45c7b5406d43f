import { setTimeout as pause } from 'node:timers/promises';
import type { CodeDelivery } from './code-delivery.ts';

/**
 * The same delivery, tried several times in a row.
 *
 * @param options.pauseMs between two tries
 * @param options.onFailure is told of every try that failed, counted from 1
 * @returns rejects with the failure of the last try
 */
export const withRetries =
  (
    delivery: CodeDelivery,
    options: {
      readonly attempts: number;
      readonly pauseMs: number;
      readonly onFailure?: (error: unknown, attempt: number) => void;
    },
  ): CodeDelivery =>
  async (to, code) => {
    const { attempts, pauseMs, onFailure } = options;
    for (let attempt = 1; ; attempt += 1) {
      try {
        await delivery(to, code);
        return;
      } catch (error) {
        onFailure?.(error, attempt);
        if (attempt >= attempts) throw error;
        await pause(pauseMs);
      }
    }
  };
