/** The most memory that this process had resident at once, in MB. */
export const peakMemoryMb = (): number => (process.resourceUsage().maxRSS * 1_024) / 1e6;
