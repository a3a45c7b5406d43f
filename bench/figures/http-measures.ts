import type { Contender, Measure, Sample } from '../figure.ts';
import type { LoadResult } from '../load/spec.ts';

/** What is measured of every load over HTTP. */
export const httpMeasures: readonly Measure[] = [
  { name: 'perSecond', title: 'requests/s', digits: 0 },
  { name: 'p50', title: 'p50, ms', digits: 2 },
  { name: 'p99', title: 'p99, ms', digits: 2 },
  { name: 'bytes', title: 'bytes an answer', digits: 0 },
];

export const httpSample = ({ perSecond, p50, p99, bytes }: LoadResult): Sample => ({ perSecond, p50, p99, bytes });

/** A contender that is measured by one load. */
export const underLoad = (name: string, load: () => Promise<LoadResult>): Contender => ({
  name,
  measure: async () => httpSample(await load()),
});

/** How many callers ask at once. */
export const CONNECTIONS = { reads: 50, commands: 64 } as const;
