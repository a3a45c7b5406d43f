import { createHistogram } from 'node:perf_hooks';

/** Collects latencies in milliseconds; the percentiles come from a histogram of microseconds. */
export const collectLatencies = () => {
  const histogram = createHistogram();
  return {
    add: (milliseconds: number) => histogram.record(Math.max(1, Math.round(milliseconds * 1_000))),
    count: () => histogram.count,
    /** @param seconds the time over which they were collected */
    over(seconds: number) {
      const requests = histogram.count;
      return {
        requests,
        perSecond: requests / seconds,
        p50: histogram.percentile(50) / 1_000,
        p99: histogram.percentile(99) / 1_000,
      };
    },
  };
};
