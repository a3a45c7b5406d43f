import { EventEmitter } from 'node:events';
import { setImmediate } from 'node:timers/promises';
import { MessageChannel } from 'node:worker_threads';
import type { AppThreads } from '../../src/app.ts';
import { openEmbeddedEventStore } from '../../src/event-store/embedded/event-store.ts';
import { appendWorker } from '../../src/event-store/embedded/serve-appends.ts';
import type { Damage, EventStore } from '../../src/event-store/port.ts';
import { openQuestions } from '../../src/history/beside/open-questions.ts';
import type { OpenBody, StartThread } from '../../src/lib/thread.ts';
import { connectWorker, type StartWorker } from '../../src/lib/worker-client.ts';
import type { TaskTypes } from '../../src/lib/worker-messages.ts';
import { serveTasks, type TaskWorker } from '../../src/lib/worker-task.ts';
import { openProjector } from '../../src/projector-threads/open-projector.ts';

/** Runs in the thread of the test. Messages are copied and come later, as those of a worker do. */
const startBodyHere =
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

/** Runs in the thread of the test. Messages are copied and come later, as those of a worker do. */
export const startHere =
  <T extends TaskTypes>(open: () => TaskWorker<T>): StartWorker<T> =>
  () => {
    const { port1, port2 } = new MessageChannel();
    const worker = Object.assign(new EventEmitter(), {
      postMessage: (messages: unknown) => port1.postMessage(messages),
      unref: () => port1.unref(),
    });
    port1
      .on('message', (messages) => worker.emit('message', messages))
      .on('close', () => worker.emit('exit', 0));
    serveTasks(open(), port2);
    return connectWorker(worker);
  };

/**
 * What runs beside requests, in the thread of the test, where its modules are loaded and compiled already: a worker
 * thread takes more CPU time to start than most tests take.
 */
export const threadsHere = {
  writer: startHere(appendWorker),
  projector: startBodyHere(openProjector),
  history: startBodyHere(openQuestions),
} satisfies AppThreads;

/** The event log in a file, written in the thread of the test. */
export const openLogHere = (file: string, onDamage?: (damage: Damage) => void): Promise<EventStore> =>
  openEmbeddedEventStore(file, { startWriter: threadsHere.writer, onDamage });
