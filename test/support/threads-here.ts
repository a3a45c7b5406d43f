import { EventEmitter } from 'node:events';
import { MessageChannel } from 'node:worker_threads';
import { projections } from '../../projections/index.ts';
import type { AppThreadStarters } from '../../src/app/options.ts';
import { openEmbeddedEventStore } from '../../src/event-store/embedded/event-store.ts';
import { createAppendTaskHandler } from '../../src/event-store/embedded/append-task-handler.ts';
import type { LogDamage, EventStore } from '../../src/event-store/port.ts';
import { createHistoryHandler } from '../../src/history/operations/history-handler.ts';
import { connectWorker, type StartWorker } from '../../src/lib/worker-client.ts';
import type { TaskProtocol } from '../../src/lib/worker-messages.ts';
import { serveTasks, type TaskHandler } from '../../src/lib/worker-task.ts';
import { groupApplierThreadUrl } from '../../src/hiring/threads.ts';
import { createProjectorTaskHandler } from '../../src/projector-threads/projector-worker.ts';

/** Runs in the thread of the test. Messages are copied and come later, as those of a worker do. */
export const startHere =
  <T extends TaskProtocol>(open: () => TaskHandler<T>): StartWorker<T> =>
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
  writer: startHere(createAppendTaskHandler),
  projector: startHere(() => createProjectorTaskHandler(projections, groupApplierThreadUrl)),
  history: startHere(createHistoryHandler),
} satisfies AppThreadStarters;

/** The event log in a file, written in the thread of the test. */
export const openLogHere = (file: string, onDamage?: (damage: LogDamage) => void): Promise<EventStore> =>
  openEmbeddedEventStore(file, { startWriter: threadsHere.writer, onDamage });
