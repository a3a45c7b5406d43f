import type { Quarantined } from '../src/builds/build.ts';
import { recordOf, type QuarantineRecords } from '../src/builds/quarantine.ts';
import type { Projection } from '../src/projection.ts';
import { defineCollection } from '../src/read-models/port.ts';

export const now = '2026-03-01T09:30:00.000Z';

/** Records in memory; `before` may throw, and is told of what is to be recorded. */
export const recordsInMemory = (before: () => void = () => undefined) => {
  let kept: Quarantined[] = [];
  const records: QuarantineRecords = {
    of: () => Promise.resolve(kept),
    add: (_build, poisons) =>
      Promise.resolve().then(() => {
        before();
        const streams = poisons.map(({ stream }) => stream);
        kept = [
          ...kept.filter(({ stream }) => !streams.includes(stream)),
          ...poisons.map((poison) => recordOf(poison, now)),
        ];
      }),
    remove: (_build, stream) => {
      kept = kept.filter((each) => each.stream !== stream);
      return Promise.resolve();
    },
  };
  return { records, streams: () => kept.map(({ stream }) => stream), all: () => kept };
};

export const offices = defineCollection<{ readonly names: readonly string[] }>({
  name: 'offices',
  partition: 'id',
  indexes: [],
});
export const counts = defineCollection<{ readonly count: number }>({
  name: 'counts',
  partition: 'id',
  indexes: [],
});

/** Keeps all names that each office ever had, and counts the revisions; fails where it is told to. */
export const officeNames = (fails: (name: string) => boolean) => {
  const tried: string[] = [];
  const projection: Projection = {
    name: 'office-names',
    version: 1,
    collections: [offices, counts],
    handlers: {
      async OfficeRecorded({ data: { officeId, officeName } }, documents) {
        tried.push(officeName);
        const count = (await documents.get(counts, officeId))?.count ?? 0;
        documents.put(counts, officeId, { count: count + 1 });
        if (fails(officeName)) throw new Error(`cannot fold ${officeName}`);
        const names = (await documents.get(offices, officeId))?.names ?? [];
        documents.put(offices, officeId, { names: [...names, officeName] });
      },
    },
  };
  return { projection, tried };
};
