import type { Once, Request, Source } from './spec.ts';

const nthPair = ({ method, path, headers, bodies }: Once, n: number): Request => {
  const own = headers[n % headers.length];
  const body = bodies[Math.floor(n / headers.length)];
  if (!own || body === undefined)
    throw new Error(
      `All ${headers.length} x ${bodies.length} requests to ${path} are spent; allowed: a shorter load, or more of them`,
    );
  return { method, path, headers: own, body };
};

/** The n-th request of a source, from 0. */
export const nthOf = (source: Source, n: number): Request => {
  if (source.kind === 'once') return nthPair(source, source.first + n);
  const request = source.requests[n % source.requests.length];
  if (!request) throw new RangeError(`There is no request ${n}`);
  return request;
};

/** Hands out the requests of several sources in turns, and counts those of each. */
export const inTurns = (sources: readonly Source[]) => {
  const sent = sources.map(() => 0);
  let turn = 0;
  const next = (): Request => {
    const index = turn++ % sources.length;
    const source = sources[index];
    if (!source) throw new RangeError('There are no requests');
    const n = sent[index] ?? 0;
    sent[index] = n + 1;
    return nthOf(source, n);
  };
  return { next, sent };
};
