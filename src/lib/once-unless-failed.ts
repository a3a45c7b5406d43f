/** Makes something once for all callers, also those who ask meanwhile. After a failure the next call tries again. */
export const onceUnlessFailed = <T>(make: () => Promise<T>): (() => Promise<T>) => {
  let result: Promise<T> | undefined;
  return () =>
    (result ??= make().catch((error: unknown) => {
      result = undefined;
      throw error;
    }));
};
