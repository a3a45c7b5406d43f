import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { Type } from '../../src/schema/typebox.ts';
import type { FigureGroup } from '../figure.ts';
import { askOnce } from '../processes/child.ts';

const STORE = 'event store';
const BARE = 'bare group commit';
const CALLERS = [64, 256] as const;

const Appended = Type.Object({ perSecond: Type.Number(), p50: Type.Number(), p99: Type.Number() });

export const appends: FigureGroup = {
  name: 'appends',
  title: 'Appends',
  about: [
    'The event store alone, without HTTP and commands. Each caller appends one event to a stream of its own as soon as its last one is on disk. Each measurement has a new process and an empty file, and begins after a second of warming up.',
    'Baseline: bare group commit. A worker thread inserts all waiting rows into the same table in one durable transaction (WAL, synchronous = FULL). It checks no revisions and sets no savepoints.',
  ],
  measures: [
    { name: 'perSecond', title: 'appends/s', digits: 0 },
    { name: 'p50', title: 'p50, ms', digits: 2 },
    { name: 'p99', title: 'p99, ms', digits: 2 },
  ],
  isDefault: true,
  *figures({ settings: { seconds }, scratch }) {
    for (const callers of CALLERS) {
      const contender = (name: string, kind: 'store' | 'bare') => ({
        name,
        async measure() {
          const place = await scratch();
          const file = join(place, 'events.db');
          const appended = await askOnce('append', { kind, file, callers, seconds }, Appended);
          await rm(place, { recursive: true });
          return { ...appended };
        },
      });
      yield {
        name: `${callers} callers`,
        contenders: [contender(STORE, 'store'), contender(BARE, 'bare')],
        targets: [],
        warmsUp: false,
      };
    }
  },
};
