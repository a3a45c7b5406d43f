import { EventEmitter } from 'node:events';
import { MessageChannel } from 'node:worker_threads';
import { projections } from '../../projections/index.ts';
import type { AppThreads } from '../../src/app/options.ts';
import { openEmbeddedEventStore } from '../../src/event-store/embedded/event-store.ts';
import { appendWorker } from '../../src/event-store/embedded/serve-appends.ts';
import type { Damage, EventStore } from '../../src/event-store/port.ts';
import { historyWorker } from '../../src/history/operations/open-questions.ts';
import { connectWorker, type StartWorker } from '../../src/lib/worker-client.ts';
import type { TaskTypes } from '../../src/lib/worker-messages.ts';
import { serveTasks, type TaskWorker } from '../../src/lib/worker-task.ts';
import { groupApplierThread } from '../../src/hiring/threads.ts';
import { projectorWorker } from '../../src/projector-threads/open-projector.ts';

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
  projector: startHere(() => projectorWorker(projections, groupApplierThread)),
  history: startHere(historyWorker),
} satisfies AppThreads;

/** The event log in a file, written in the thread of the test. */
export const openLogHere = (file: string, onDamage?: (damage: Damage) => void): Promise<EventStore> =>
  openEmbeddedEventStore(file, { startWriter: threadsHere.writer, onDamage });
