/** What an error and its causes say, each thing once, in one line for the application log. */
export const reasonInFull = (error: unknown): string => {
  if (!(error instanceof Error)) return String(error);
  const { message, cause } = error;
  // What is no error says nothing: the claims of a token, say.
  if (!(cause instanceof Error)) return message;
  const reason = reasonInFull(cause);
  if (message.endsWith(reason)) return message;
  return reason.startsWith(message) ? reason : `${message}: ${reason}`;
};
