import { runInWorker } from '../../src/lib/thread.ts';

/** As libsql's errors are: no Error to Node.js, which copies nothing of it out of the thread. */
const failure: unknown = Object.create(Error.prototype, {
  message: { value: 'it is full' },
  code: { value: 'SQLITE_FULL' },
});

await runInWorker(() =>
  Promise.resolve({
    hear: () => undefined,
    run: () => Promise.reject(failure as Error),
  }),
);
