import type { SerializedError } from './serialized-error.ts';

/** What a kind of task is given and gives, all of it plain data. */
export interface TaskProtocol {
  readonly input: unknown;
  /** One of a stream: sent no faster than they are read. */
  readonly item?: unknown;
  /** What is to be known while a task runs, such as how far it is: sent at once, and never waited for. */
  readonly status?: unknown;
  /** What is posted to a task that runs. */
  readonly message?: unknown;
  readonly result?: unknown;
}

/** To a worker: a thread, or a process. They go over in lists, as a message costs more than its content. */
export type MessageToWorker<T extends TaskProtocol> =
  /** `window` is how many items may be on their way, sent and not yet taken. */
  | { readonly kind: 'start'; readonly id: number; readonly input: T['input']; readonly window: number }
  | { readonly kind: 'taken'; readonly id: number }
  | { readonly kind: 'message'; readonly id: number; readonly message: T['message'] }
  | { readonly kind: 'cancel'; readonly id: number }
  /** The worker ends after the tasks that it was given. */
  | { readonly kind: 'close' };

export type MessageFromWorker<T extends TaskProtocol> =
  | { readonly kind: 'item'; readonly id: number; readonly item: T['item'] }
  | { readonly kind: 'status'; readonly id: number; readonly status: T['status'] }
  | { readonly kind: 'result'; readonly id: number; readonly result: T['result'] }
  | { readonly kind: 'error'; readonly id: number; readonly error: SerializedError };
