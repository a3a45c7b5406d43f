interface Waiting<Request, Reply> {
  readonly request: Request;
  readonly resolve: (reply: Reply) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Gathers the requests of one turn.
 *
 * @param handle answers each, in order; an Error among the answers fails that request, a throw all of them
 */
export const batchCalls = <Request, Reply extends object>(
  handle: (requests: readonly Request[]) => readonly (Reply | Error | undefined)[],
): ((request: Request) => Promise<Reply>) => {
  let waiting: Waiting<Request, Reply>[] = [];
  const flush = (): void => {
    const batch = waiting;
    waiting = [];
    try {
      const replies = handle(batch.map(({ request }) => request));
      for (const [index, { resolve, reject }] of batch.entries()) {
        const reply = replies[index] ?? new Error('There is no answer');
        if (reply instanceof Error) reject(reply);
        else resolve(reply);
      }
    } catch (error) {
      for (const { reject } of batch) reject(error);
    }
  };
  return (request) =>
    new Promise((resolve, reject) => {
      if (waiting.push({ request, resolve, reject }) === 1) queueMicrotask(flush);
    });
};
