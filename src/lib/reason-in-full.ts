/** What an error and its causes say, in one line for the application log. */
export const reasonInFull = (error: unknown): string => {
  if (!(error instanceof Error)) return String(error);
  const { message, cause } = error;
  return cause === undefined ? message : `${message}: ${reasonInFull(cause)}`;
};
