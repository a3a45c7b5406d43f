import { setTimeout as delay } from 'node:timers/promises';
import type { Build, RegistryRecord } from './build.ts';
import type { BuildRegistry } from './registry.ts';
import { lineOf, outcomeOf, type BuildLine, type BuildOutcome } from './lines.ts';
import { isOpen } from './record.ts';

/** What has happened to a build: progress, or its end. */
export type News =
  | { readonly kind: 'build'; readonly line: BuildLine }
  | {
      readonly kind: 'outcome';
      readonly line: { readonly projection: string; readonly build: string } & BuildOutcome;
    };

type Records = ReadonlyMap<string, RegistryRecord>;

interface ToldBuild {
  readonly step: Build['step'];
  readonly line: string;
  readonly outcome: string | undefined;
}

/**
 * Makes what tells a follower the news since its last call. The first call tells of builds that are under way or wait
 * for an operator.
 */
export const createNews = (): ((records: Records) => readonly News[]) => {
  let known: ReadonlyMap<string, ToldBuild> | undefined;
  return (records) => {
    const news: News[] = [];
    const now = new Map<string, ToldBuild>();
    for (const [name, record] of records)
      for (const build of record.builds) {
        const { id, step } = build;
        const before = known?.get(id);
        const line = lineOf(name, build);
        const outcome = outcomeOf(record, id);
        const seen = { step, line: JSON.stringify(line), outcome: outcome && JSON.stringify(outcome) };
        now.set(id, seen);
        if (!known && !isOpen(build)) continue;
        if (before?.line !== seen.line) news.push({ kind: 'build', line });
        // Dropping a build that was kept long enough is no new outcome.
        const isOver = step === 'discarded' && before?.step === 'ready';
        if (outcome && before?.outcome !== seen.outcome && !isOver)
          news.push({ kind: 'outcome', line: { projection: name, build: id, ...outcome } });
      }
    known = now;
    return news;
  };
};

export interface Feed {
  /** Gives a follower the build registry's records again and again, until the returned function is called. */
  subscribe(follower: (records: Records) => void): () => void;
  /** Resolves when the last read has ended, after the signal. */
  ended(): Promise<void>;
}

const LOOK_MS = 200;
const RETRY_MS = 2_000;

/** Reads the build registry while there are followers, once for all of them, until the signal is aborted. */
export const createFeed = ({
  all,
  onError,
  signal,
}: {
  readonly all: BuildRegistry['all'];
  readonly onError: (error: unknown) => void;
  readonly signal: AbortSignal;
}): Feed => {
  const followers = new Set<(records: Records) => void>();
  let looking: Promise<void> | undefined;

  const look = async (): Promise<void> => {
    while (followers.size > 0 && !signal.aborted) {
      let pause = LOOK_MS;
      try {
        const records = await all();
        for (const follower of followers) follower(records);
      } catch (error) {
        onError(error);
        pause = RETRY_MS;
      }
      await delay(pause, undefined, { signal }).catch(() => undefined);
    }
    looking = undefined;
  };

  return {
    subscribe(follower) {
      followers.add(follower);
      looking ??= look();
      return () => followers.delete(follower);
    },
    ended: () => looking ?? Promise.resolve(),
  };
};
