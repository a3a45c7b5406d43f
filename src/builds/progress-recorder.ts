import type { EventLog, LogEventCounter, Position } from '../event-store/port.ts';
import { typesApplied, type Projection } from '../projector/projection.ts';
import type { RunnerStatus } from '../projector/progress.ts';
import type { Build } from './build-schema.ts';
import { changeRecord, type BuildRegistry } from './registry.ts';
import { findBuild } from './projection-builds.ts';
import { setBuildStep } from './transitions.ts';

const EVERY_MS = 1_000;

interface Measurement {
  readonly at: number;
  /** Events that another process applied before. */
  readonly before: number;
  /** Undefined where counting takes long. */
  readonly of: number | undefined;
  readonly upTo: Position;
  notedAt: number;
}

/** Notes the progress of builds in the build registry, for clients that watch them. */
export const createProgressRecorder = ({
  registry,
  eventStore,
  now: dateTime,
}: {
  readonly registry: Pick<BuildRegistry, 'change'>;
  readonly eventStore: Pick<EventLog, 'head'> & Pick<LogEventCounter, 'countOf' | 'shareOf'>;
  /** RFC 3339 */
  readonly now: () => string;
}) => {
  const builds = new Map<string, Measurement>();

  const begin = async (projection: Projection, { id, startedAt, progress }: Build): Promise<Measurement> => {
    const upTo = await eventStore.head();
    const of = eventStore.shareOf ? undefined : await eventStore.countOf(typesApplied([projection]), upTo);
    // Counted from the request: a small build is over before the first look.
    const ago = progress ? 0 : Math.max(0, Date.parse(dateTime()) - Date.parse(startedAt));
    const begun = { at: performance.now() - ago, before: progress?.events ?? 0, of, upTo, notedAt: -Infinity };
    builds.set(id, begun);
    return begun;
  };

  return {
    /** Notes a build's progress once a second; where nothing is left to apply (`isLast`), in any case. */
    async note(
      name: string,
      projection: Projection,
      build: Build,
      { seen, of: known, applied }: Pick<RunnerStatus, 'seen' | 'of' | 'applied'>,
      { isLast }: { readonly isLast: boolean },
    ) {
      const begun = builds.get(build.id) ?? (await begin(projection, build));
      const now = performance.now();
      if (!isLast && now - begun.notedAt < EVERY_MS) return;
      begun.notedAt = now;
      const events = begun.before + seen;
      const perSecond = Math.round(seen / Math.max(0.001, (now - begun.at) / 1_000));
      const share = eventStore.shareOf?.(applied, begun.upTo) ?? 0;
      const total = known === undefined ? undefined : begun.before + known;
      const of = begun.of ?? total ?? (share > 0 ? Math.round(events / share) : events);
      const most = Math.max(events, of);
      // A build that was resumed may have counted some events twice, or not at all.
      const progress = { events: isLast ? most : events, of: most, perSecond };
      await changeRecord(registry, name, (record) => {
        const current = findBuild(record, build.id);
        if (current?.step !== 'build') return record;
        const noted = setBuildStep(record, build.id, 'build', { progress });
        return isLast && perSecond > 0 ? { ...noted, perSecond } : noted;
      });
    },
  };
};
