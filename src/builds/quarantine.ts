import { conflict } from '../errors.ts';
import type { Poison } from '../poison.ts';
import { projectionOfBuild, type Build, type Entry, type Quarantined } from './build.ts';
import { changeKnown, type Catalogue } from './catalogue.ts';
import { refusePaused } from './transitions.ts';

const LONGEST = 4_000;

/** What is recorded of an event that cannot be folded. */
export const recordOf = ({ error, ...poison }: Poison, now: string): Quarantined => ({
  ...poison,
  error: error.message.slice(0, LONGEST),
  stack: (error.stack ?? '').slice(0, LONGEST),
  at: now,
  request: 'none',
});

const withQuarantined = (
  entry: Entry,
  id: string,
  change: (before: readonly Quarantined[]) => Quarantined[],
): Entry => ({
  ...entry,
  builds: entry.builds.map((build): Build =>
    build.id === id ? { ...build, quarantined: change(build.quarantined) } : build,
  ),
});

/** Streams of a build wait; of one that waits already what is known is replaced. */
export const quarantined = (entry: Entry, id: string, records: readonly Quarantined[]): Entry => {
  const streams = new Set(records.map(({ stream }) => stream));
  return withQuarantined(entry, id, (before) => [
    ...before.filter(({ stream }) => !streams.has(stream)),
    ...records,
  ]);
};

/** A stream of a build waits no more. */
export const released = (entry: Entry, id: string, stream: string): Entry =>
  withQuarantined(entry, id, (before) => before.filter((each) => each.stream !== stream));

/**
 * Asks for what waits to be folded again, or without the event at which it stopped, in every build.
 *
 * @param stream left out: all streams
 * @throws Refusal (409) when nothing waits there, and while the projection is paused
 */
export const requested = (entry: Entry, request: 'retry' | 'skip', stream: string | undefined): Entry => {
  refusePaused(entry);
  const isMeant = (each: Quarantined) => stream === undefined || each.stream === stream;
  if (!entry.builds.some((build) => build.quarantined.some(isMeant)))
    throw conflict(
      stream === undefined
        ? `No stream of ${entry.name} waits`
        : `The stream ${stream} does not wait in ${entry.name}`,
    );
  return entry.builds.reduce(
    (before, { id }) =>
      withQuarantined(before, id, (all) => all.map((each) => (isMeant(each) ? { ...each, request } : each))),
    entry,
  );
};

/** Where the projector records what cannot be folded, before its checkpoint passes it. */
export interface QuarantineRecords {
  readonly of: (build: string) => Promise<readonly Quarantined[]>;
  readonly add: (build: string, poisons: readonly Poison[]) => Promise<void>;
  readonly remove: (build: string, stream: string) => Promise<void>;
}

/** @param now RFC 3339 */
export const quarantineIn = (catalogue: Catalogue, now: () => string): QuarantineRecords => {
  const change = async (build: string, act: (entry: Entry) => Entry): Promise<void> => {
    await changeKnown(catalogue, projectionOfBuild(build), act);
  };
  return {
    async of(build) {
      const entries = await catalogue.all();
      const entry = entries.get(projectionOfBuild(build));
      return entry?.builds.find(({ id }) => id === build)?.quarantined ?? [];
    },
    add: (build, poisons) =>
      change(build, (entry) =>
        quarantined(
          entry,
          build,
          poisons.map((poison) => recordOf(poison, now())),
        ),
      ),
    remove: (build, stream) => change(build, (entry) => released(entry, build, stream)),
  };
};
