import { closeSync, openSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import Database from 'libsql';
import { readAroundDamage } from '../../src/event-store/embedded/around-damage.ts';
import { EVENTS_SCHEMA, fromPosition } from '../../src/event-store/embedded/schema.ts';
import type { LogPart } from '../../src/event-store/log-part.ts';
import { directoryForEach } from '../support/files.ts';

const EVENTS = 5_000;
const PAGE = 4_096;

describe('Reading an event log around damage', () => {
  const directory = directoryForEach('hiring-damage-');
  let file: string;
  beforeEach(() => {
    file = join(directory(), 'events.db');
    const db = new Database(file);
    db.exec(EVENTS_SCHEMA);
    db.exec(`
      WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${EVENTS})
      INSERT INTO events (position, stream, revision, id, type, version, data, metadata)
      SELECT i, 'posting-' || i, 0, 'e' || i, 'T', 1, json_object('text', printf('%0400d', i)), '{}' FROM n`);
    db.close();
  });

  const change = (sql: string): void => {
    const db = new Database(file);
    db.exec(sql);
    db.close();
  };
  const parts = () => [...readAroundDamage(file, EVENTS)];
  const eventsIn = (read: readonly LogPart[]) =>
    read.flatMap((part) => (part.kind === 'events' ? part.events : [])).length;
  const others = (read: readonly LogPart[]) => read.filter(({ kind }) => kind !== 'events');

  it('gives all events of a sound file', () => {
    const read = parts();
    expect([eventsIn(read), others(read)]).to.deep.equal([EVENTS, []]);
  });

  it('names positions without an event, in the middle and at the end', () => {
    change(`DELETE FROM events WHERE position IN (1, 2000, 2001, 2002, ${EVENTS})`);
    expect(others(parts())).to.deep.equal([
      { kind: 'missing', first: '0000000000000001', last: '0000000000000001', streams: [] },
      { kind: 'missing', first: '0000000000002000', last: '0000000000002002', streams: [] },
      { kind: 'missing', first: '0000000000005000', last: '0000000000005000', streams: [] },
    ]);
  });

  it('names the positions of a damaged page, and gives all events before and after it', () => {
    // Given the first byte of a leaf page in the middle of the table, which is no page of any kind then
    const db = new Database(file);
    const [page] = db
      .prepare(
        "SELECT pageno FROM dbstat WHERE name = 'events' AND pagetype = 'leaf' ORDER BY pageno LIMIT 1 OFFSET 300",
      )
      .raw()
      .get([]) as [number];
    db.close();
    const handle = openSync(file, 'r+');
    writeSync(handle, Buffer.from([0xff]), 0, 1, (page - 1) * PAGE);
    closeSync(handle);

    const read = parts();

    const [lost, ...more] = others(read);
    expect(more).to.deep.equal([]);
    if (lost?.kind !== 'unreadable' || lost.last === undefined) throw new Error('It is not told so');
    const positions = fromPosition(lost.last) - fromPosition(lost.first) + 1;
    expect(positions).to.be.within(2, 20);
    expect(eventsIn(read)).to.equal(EVENTS - positions);
    expect(lost.why).to.include('malformed');
  });
});
