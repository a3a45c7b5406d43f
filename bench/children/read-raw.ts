import Database from 'libsql';
import { Type } from '../../src/schema/typebox.ts';
import { answerParent } from './answering.ts';
import { peakMemoryMb } from './peak-memory.ts';

const AT_ONCE = 1_000;
type Row = readonly [number, string, number, string, string, number, string, string];

/** The baseline of rebuilds: every column of every event, and JSON.parse of what is JSON. Nothing is done with it. */
answerParent(Type.Object({ eventsFile: Type.String() }), ({ eventsFile }) => {
  const started = performance.now();
  const log = new Database(eventsFile, { readonly: true });
  const select = log
    .prepare(
      'SELECT position, stream, revision, id, type, version, data, metadata FROM events WHERE position > ? ORDER BY position LIMIT ?',
    )
    .raw();
  let [events, position] = [0, 0];
  for (;;) {
    const rows = select.all([position, AT_ONCE]) as Row[];
    for (const [at, , , , , , data, metadata] of rows) {
      JSON.parse(data);
      JSON.parse(metadata);
      position = at;
    }
    events += rows.length;
    if (rows.length < AT_ONCE) break;
  }
  const seconds = (performance.now() - started) / 1_000;
  log.close();
  return Promise.resolve({ events, seconds, memoryMb: peakMemoryMb() });
});
