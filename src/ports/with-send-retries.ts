import { setTimeout as pause } from 'node:timers/promises';
import type { MessageSender } from './message-sender.ts';

/** Retries a delivery; rejects with the last failure. @param options.onFailure for each failed try, counted from 1 */
export const withSendRetries =
  (
    delivery: MessageSender,
    options: {
      readonly attempts: number;
      readonly pauseMs: number;
      readonly onFailure?: (error: unknown, attempt: number) => void;
    },
  ): MessageSender =>
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
