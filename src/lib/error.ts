/** What was thrown, in words. */
export const errorMessageOf = (thrown: unknown): string => (thrown instanceof Error ? thrown.message : String(thrown));

/** Wraps an asynchronous function to note its failures, which are thrown on. */
export const withFailureObserver =
  (note: (error: unknown) => void) =>
  <Args extends readonly unknown[], T>(ask: (...args: Args) => Promise<T>) =>
  (...args: Args): Promise<T> =>
    ask(...args).catch((error: unknown) => {
      note(error);
      throw error;
    });

/** Whether an error has a code, as those of the operating system and of SQLite have. */
export const hasCode = (error: unknown, ...codes: readonly string[]): error is Error & { readonly code: string } =>
  error instanceof Error && 'code' in error && typeof error.code === 'string' && codes.includes(error.code);
