import { EventEmitter } from 'node:events';
import { MessageChannel } from 'node:worker_threads';
import { projections } from '../../projections/index.ts';
import type { AppThreadStarters } from '../../src/app/options.ts';
import { openEmbeddedEventStore } from '../../src/event-store/embedded/event-store.ts';
import { createAppendWorker } from '../../src/event-store/embedded/serve-appends.ts';
import type { LogDamage, EventStore } from '../../src/event-store/port.ts';
import { historyWorker } from '../../src/history/operations/history-worker.ts';
import { connectWorker, type StartWorker } from '../../src/lib/worker-client.ts';
import type { TaskTypes } from '../../src/lib/worker-messages.ts';
import { serveTasks, type TaskHandler } from '../../src/lib/worker-task.ts';
import { groupApplierThreadUrl } from '../../src/hiring/threads.ts';
import { createProjectorWorker } from '../../src/projector-threads/projector-worker.ts';

/** Runs in the thread of the test. Messages are copied and come later, as those of a worker do. */
export const startHere =
  <T extends TaskTypes>(open: () => TaskHandler<T>): StartWorker<T> =>
  () => {
    const { port1, port2 } = new MessageChannel();
    const worker = Object.assign(new EventEmitter(), {
      postMessage: (messages: unknown) => port1.postMessage(messages),
      unref: () => port1.unref(),
    });
    port1.on('message', (messages) => worker.emit('message', messages)).on('close', () => worker.emit('exit', 0));
    serveTasks(open(), port2);
    return connectWorker(worker);
  };

/**
 * What runs beside requests, in the thread of the test, where its modules are loaded and compiled already: a worker
 * thread takes more CPU time to start than most tests take.
 */
export const threadsHere = {
  writer: startHere(createAppendWorker),
  projector: startHere(() => createProjectorWorker(projections, groupApplierThreadUrl)),
  history: startHere(historyWorker),
} satisfies AppThreadStarters;

/** The event log in a file, written in the thread of the test. */
export const openLogHere = (file: string, onDamage?: (damage: LogDamage) => void): Promise<EventStore> =>
  openEmbeddedEventStore(file, { startWriter: threadsHere.writer, onDamage });
