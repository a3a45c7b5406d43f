import { setTimeout as delay } from 'node:timers/promises';
import { LogUnavailableError, type EventStore } from '../event-store/port.ts';
import { LogRefusedError } from './admit-log.ts';

const RETRY_MS = 1_000;

export interface GuardOptions {
  /** Compares the event log with the builds that were made from it. @throws LogRefusedError */
  readonly admit: () => Promise<void>;
  /** Whether the event log has events and the configured identity, whatever builds say. */
  readonly isConfigured: () => Promise<boolean>;
  readonly onRefused: (error: LogRefusedError) => void;
}

/**
 * Looks at an event log on a server again and again until it answers. Nothing is appended to an empty one before it was
 * admitted; one with events takes appends also while the read models do not answer.
 */
export const guardLog = (log: EventStore, { admit, isConfigured, onRefused }: GuardOptions) => {
  const stopping = new AbortController();
  let isAdmitted = false;
  let mayAppend = false;
  let refusal: LogRefusedError | undefined;
  let looking: Promise<void> | undefined;
  const look = (): Promise<void> =>
    (looking ??= admit()
      .then(() => {
        isAdmitted = true;
      })
      .catch((error: unknown) => {
        if (error instanceof LogRefusedError) {
          refusal = error;
          stopping.abort();
          onRefused(error);
        }
        throw error;
      })
      .finally(() => {
        looking = undefined;
      }));
  const run = async (): Promise<void> => {
    const { signal } = stopping;
    for (;;) {
      const isDone = await look().then(
        () => true,
        () => false,
      );
      if (isDone || signal.aborted) return;
      await delay(RETRY_MS, undefined, { signal }).catch(() => undefined);
    }
  };
  const running = run();
  return {
    eventStore: {
      ...log,
      append: async (...args: Parameters<EventStore['append']>) => {
        mayAppend ||= isAdmitted || (await isConfigured());
        if (!mayAppend)
          await look().catch((error: unknown) => {
            throw new LogUnavailableError('the event log cannot be identified', { cause: error });
          });
        if (refusal) throw new LogUnavailableError('the event log is another one', { cause: refusal });
        return log.append(...args);
      },
    },
    /** Looks again, when another part of the service has met another event log. */
    lookAgain: () => void look().catch(() => undefined),
    async stop(): Promise<void> {
      stopping.abort();
      await running;
    },
  };
};
