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
    'The event store by itself, without HTTP and commands: many callers, each of which appends one event to a stream of its own as soon as its last one is on disk. Every measurement has a process and an empty file of its own, and begins after a second of warming up.',
    'Baseline: bare group commit. A worker thread takes the same rows, makes one transaction of all that are waiting and inserts them with one prepared statement into the same table, durably (WAL, synchronous = FULL); no revisions are checked and no savepoints set.',
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
