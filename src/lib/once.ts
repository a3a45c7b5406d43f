/** Makes it once for all who ask, also while it is being made; again for the next one who asks where that failed. */
export const once = <T>(make: () => Promise<T>): (() => Promise<T>) => {
  let result: Promise<T> | undefined;
  return () =>
    (result ??= make().catch((error: unknown) => {
      result = undefined;
      throw error;
    }));
};
