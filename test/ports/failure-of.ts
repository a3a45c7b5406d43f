/** The error that a promise is rejected with; fails when it is fulfilled. */
export const failureOf = async (promise: Promise<unknown>): Promise<Error> => {
  const outcome = await promise.then(
    () => undefined,
    (error: unknown) => error,
  );
  if (!(outcome instanceof Error)) throw new Error('It was expected to be rejected with an error');
  return outcome;
};

/** Everything of an error that an application log could show. */
export const toldBy = (error: Error): string =>
  `${error.message}\n${error.stack ?? ''}\n${String(error.cause)}\n${JSON.stringify(error)}`;
