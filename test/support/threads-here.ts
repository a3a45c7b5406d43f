import { setImmediate } from 'node:timers/promises';
import type { AppThreads } from '../../src/app.ts';
import { openQuestions } from '../../src/history/beside/open-questions.ts';
import type { OpenBody, StartThread } from '../../src/lib/thread.ts';
import { openProjector } from '../../src/projector-threads/open-projector.ts';

/** Runs in the thread of the test. Messages are copied and come later, as those of a worker do. */
const startHere =
  <Data, To, From>(open: OpenBody<Data, To, From>): StartThread<Data, To, From> =>
  (data, _limits, hear) => {
    const post = (message: From): void => {
      const copy = structuredClone(message);
      void setImmediate().then(() => hear(copy));
    };
    const opened = open(data, post);
    const run = async (): Promise<Error | undefined> => {
      try {
        await (await opened).run();
        return undefined;
      } catch (error) {
        return error instanceof Error ? error : new Error(String(error));
      } finally {
        await setImmediate();
      }
    };
    return {
      tell: (message) => {
        const copy = structuredClone(message);
        // Where it could not open, its end tells.
        void Promise.all([opened, setImmediate()]).then(
          ([body]) => body.hear(copy),
          () => undefined,
        );
      },
      ended: run(),
      unref: () => undefined,
    };
  };

/**
 * What runs beside requests, in the thread of the test, where its modules are loaded and compiled already: a worker
 * thread takes more CPU time to start than most tests take.
 */
export const threadsHere: AppThreads = {
  projector: startHere(openProjector),
  history: startHere(openQuestions),
};
