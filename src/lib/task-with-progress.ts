import { fromSerializedError, toSerializedError, type SerializedError } from './serialized-error.ts';
import { runInNewWorker } from './worker-client.ts';
import { serveTasks } from './worker-task.ts';

/** How something that takes long is cancelled, and what is called meanwhile. */
export interface TaskCallbacks<News> {
  readonly signal: AbortSignal;
  readonly onProgress: (news: News) => void;
  /** A subscription was dropped; it resumes by itself. */
  readonly onDropped: (error: unknown) => void;
}

interface ObservedTask<Input, News, Result> {
  readonly input: Input;
  readonly status: { readonly news: News } | { readonly dropped: SerializedError };
  readonly result: Result;
}

/** Events live shortly: in a smaller young generation many outlive a collection, and V8 copies them. */
const HEAP = { maxOldGenerationSizeMb: 128, maxYoungGenerationSizeMb: 48 };

/**
 * Has a thread of its own, whose memory is bounded, carry out a task.
 *
 * @param module of the thread, which calls `serveTaskWithProgress`
 * @throws the task's error; the signal's reason where that is aborted
 */
export const runInWorkerWithProgress = <News, Result>(
  module: URL,
  input: object,
  { signal, onProgress, onDropped }: TaskCallbacks<News>,
): Promise<Result> =>
  runInNewWorker<ObservedTask<object, News, Result>>(module, input, {
    resourceLimits: HEAP,
    signal,
    onStatus(status) {
      if ('news' in status) onProgress(status.news);
      else onDropped(fromSerializedError(status.dropped));
    },
  });

type RunObserved<Input, News, Result> = (input: Input, observer: TaskCallbacks<News>) => Promise<Result>;

/** Carries out the task of this thread. */
export const serveTaskWithProgress = <Input, News, Result>(run: RunObserved<Input, News, Result>): void =>
  serveTasks<ObservedTask<Input, News, Result>>({
    run: (input, { signal, post }) =>
      run(input, {
        signal,
        onProgress: (news) => post({ news }),
        onDropped: (error) => post({ dropped: toSerializedError(error) }),
      }),
  });
