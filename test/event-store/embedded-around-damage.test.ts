import { join } from 'node:path';
import { expect } from 'chai';
import Database from 'libsql';
import { readAroundDamage } from '../../src/event-store/embedded/around-damage.ts';
import { toPositionNumber } from '../../src/event-store/embedded/schema.ts';
import type { EventsOrLoss } from '../../src/event-store/events-or-loss.ts';
import { damageLeaf, eventsOf } from '../support/damage.ts';
import { directoryForEach } from '../support/files.ts';

const EVENTS = 5_000;

describe('Reading an event log around damage', () => {
  const directory = directoryForEach('hiring-damage-');
  let file: string;
  beforeEach(() => {
    file = join(directory(), 'events.db');
    eventsOf(file, EVENTS);
  });

  const change = (sql: string): void => {
    const db = new Database(file);
    db.exec(sql);
    db.close();
  };
  const parts = () => [...readAroundDamage(file, { upTo: EVENTS })];
  const eventsIn = (read: readonly EventsOrLoss[]) =>
    read.flatMap((part) => (part.kind === 'events' ? part.events : [])).length;
  const others = (read: readonly EventsOrLoss[]) => read.filter(({ kind }) => kind !== 'events');

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
    damageLeaf(file, 300, () => ({ at: 0, bytes: [0xff] }));

    const read = parts();

    const [lost, ...more] = others(read);
    expect(more).to.deep.equal([]);
    if (lost?.kind !== 'unreadable' || lost.last === undefined) throw new Error('It is not told so');
    const positions = toPositionNumber(lost.last) - toPositionNumber(lost.first) + 1;
    expect(positions).to.be.within(2, 20);
    expect(eventsIn(read)).to.equal(EVENTS - positions);
    expect(lost.why).to.include('malformed');
  });

  it('gives all events after a row that seems to stand behind the end, where SQLite ends a scan', () => {
    // Given a row in the middle of a leaf page whose position reads 16383: two bytes after the two of its length
    damageLeaf(file, 300, (page) => ({ at: page.readUInt16BE(8 + 2 * 3) + 2, bytes: [0xff, 0x7f] }));

    const read = parts();

    const positions = others(read).map((part) =>
      part.kind === 'missing' ? toPositionNumber(part.last) - toPositionNumber(part.first) + 1 : Infinity,
    );
    expect(positions.reduce((sum, one) => sum + one, 0)).to.be.within(1, 20);
    expect(eventsIn(read)).to.be.within(EVENTS - 20, EVENTS - 1);
  });
});
