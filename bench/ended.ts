/** A signal that is aborted once something has ended, well or not. */
export const whenEnded = (end: Promise<unknown>): AbortSignal => {
  const over = new AbortController();
  const abort = () => over.abort();
  end.then(abort, abort);
  return over.signal;
};
