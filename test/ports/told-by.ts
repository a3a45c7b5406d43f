/** Everything of an error that an application log could show. */
export const toldBy = (error: Error): string =>
  `${error.message}\n${error.stack ?? ''}\n${String(error.cause)}\n${JSON.stringify(error)}`;
