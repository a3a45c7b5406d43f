/** A run's events for the reader of its report, told as they happen. */
export interface Story {
  readonly tell: (what: string) => void;
  readonly lines: () => readonly string[];
  /** Milliseconds since the faults of the run began. */
  readonly now: () => number;
}

export const createStory = (): Story => {
  const began = performance.now();
  const told: string[] = [];
  const now = () => performance.now() - began;
  return {
    tell: (what) => void told.push(`${(now() / 1_000).toFixed(2).padStart(6)} s  ${what}`),
    lines: () => told,
    now,
  };
};
