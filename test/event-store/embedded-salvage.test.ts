import { join } from 'node:path';
import { expect } from 'chai';
import Database from 'libsql';
import { readRecordedLosses } from '../../src/event-store/embedded/lost-ranges.ts';
import { openEmbeddedEventStore } from '../../src/event-store/embedded/event-store.ts';
import { salvageLog } from '../../src/event-store/embedded/salvage.ts';
import { toPositionNumber } from '../../src/event-store/embedded/schema.ts';
import { findLogDamage } from '../../src/event-store/embedded/verify.ts';
import type { EventsOrLoss } from '../../src/event-store/events-or-loss.ts';
import { LogDamagedError, START_POSITION, type EventStore, type RecordedEvent } from '../../src/event-store/port.ts';
import { damageLeaf, eventsOf } from '../support/damage.ts';
import { directoryForEach } from '../support/files.ts';
import { threadsHere } from '../support/threads-here.ts';

const EVENTS = 2_000;
const NO_PAGE = () => ({ at: 0, bytes: [0xff] });

describe('A salvaged log', () => {
  const directory = directoryForEach('hiring-salvage-');
  let file: string;
  let salvaged: string;
  beforeEach(() => {
    [file, salvaged] = [join(directory(), 'events.db'), join(directory(), 'salvaged.db')];
    eventsOf(file, EVENTS);
  });

  const change = (name: string, sql: string): void => {
    const db = new Database(name);
    db.exec(sql);
    db.close();
  };
  const salvage = async () => {
    const parts: EventsOrLoss[] = [];
    for await (const part of salvageLog(file, salvaged)) parts.push(part);
    return parts;
  };
  const open = () => openEmbeddedEventStore(salvaged, { startWriter: threadsHere.writer });
  const lostOf = (name: string): readonly number[] =>
    readRecordedLosses(name).flatMap(({ first, last }) =>
      Array.from(
        { length: toPositionNumber(last) - toPositionNumber(first) + 1 },
        (_, i) => toPositionNumber(first) + i,
      ),
    );
  /** By pages that end and begin within what is lost, too. */
  const allOf = async (log: EventStore): Promise<readonly RecordedEvent[]> => {
    const all: RecordedEvent[] = [];
    for (let page = await log.readAll(START_POSITION, 7); page.length > 0;)
      page = await log.readAll(all[all.push(...page) - 1]?.position ?? START_POSITION, 7);
    return all;
  };
  const collected = async <T>(items: AsyncIterable<T>): Promise<T[]> => {
    const all: T[] = [];
    for await (const item of items) all.push(item);
    return all;
  };
  const { signal } = new AbortController();

  it('has all other events where they stood, and no reader misses those that are noted as lost', async () => {
    // Given damage of the first page of events, of one in the middle, and of the last one
    for (const page of [0, 100, -1]) damageLeaf(file, page, NO_PAGE);

    const told = await salvage();

    const lost = lostOf(salvaged);
    expect(lost).to.include(1).and.to.include(EVENTS);
    expect(lost.length).to.be.within(6, 60);
    expect(told.filter(({ kind }) => kind === 'unreadable')).to.have.length(3);
    expect(await collected(findLogDamage(salvaged, signal))).to.deep.equal([]);
    const log = await open();
    const events = await allOf(log);
    const positions = events.map(({ position }) => toPositionNumber(position));
    expect([...positions, ...lost].sort((a, b) => a - b)).to.deep.equal(
      Array.from({ length: EVENTS }, (_, i) => i + 1),
    );
    const upTo = await log.head();
    expect(toPositionNumber(upTo)).to.equal(positions.at(-1));
    expect(await log.countOf(['T'], upTo)).to.equal(positions.length);
    expect(await log.countAfter(START_POSITION)).to.equal(positions.length);
    const groups = log.readGroups({ by: 'text', types: ['T'], upTo, batchSize: 100 }, signal);
    expect((await collected(groups)).flatMap(({ texts }) => texts)).to.have.length(positions.length);
    let followed = 0;
    for await (const batch of log.subscribe(START_POSITION, { batchSize: 9, signal })) {
      followed += batch.events.length;
      expect(batch.position).to.equal(batch.events.at(-1)?.position);
      if (batch.isLast) break;
    }
    expect(followed).to.equal(positions.length);

    // What is appended goes on after what is lost, so that no position is given twice
    const event = { id: 'new', type: 'T', version: 1, data: {}, metadata: {} };
    const appended = await log.append({ stream: 'posting-new', expectedRevision: -1, events: [event] });
    expect(appended).to.deep.equal({ kind: 'appended', position: String(EVENTS + 1).padStart(16, '0') });
    expect((await allOf(log)).at(-1)?.id).to.equal('new');
    await log.close();
    expect(await collected(findLogDamage(salvaged, signal))).to.deep.equal([]);
  });

  it('that loses another event is damaged there, in its streams too', async () => {
    change(file, "UPDATE events SET stream = 'posting-1', revision = position - 1 WHERE position <= 5");
    change(file, 'DELETE FROM events WHERE position = 3');
    await salvage();
    const log = await open();
    expect((await log.readStream('posting-1')).map(({ revision }) => revision)).to.deep.equal([0, 1, 3, 4]);
    await log.close();

    change(salvaged, 'DELETE FROM events WHERE position IN (4, 1000)');

    const again = await open();
    const failures = await Promise.all(
      [again.readStream('posting-1'), again.readAll(START_POSITION, 10), again.readAll('0000000000000995', 10)].map(
        (read) => read.catch((error: unknown) => (error instanceof LogDamagedError ? error.details.first : error)),
      ),
    );
    expect(failures).to.deep.equal(['0000000000000005', '0000000000000003', '0000000000001000']);
    await again.close();
    const found = (await collected(findLogDamage(salvaged, signal))).map(({ first }) => first);
    expect(found).to.deep.equal(['0000000000000004', '0000000000001000']);
  });

  it('has the idempotency records that can be read, and says how many cannot', async () => {
    const values = [1, 2, 3].map((n) => `('k${n}', 'f', '{}', '000000000000000${n}', '2099')`).join();
    change(file, `INSERT INTO receipts VALUES ${values}; UPDATE receipts SET result = '{' WHERE key = 'k2'`);
    const salvaging = salvageLog(file, salvaged);
    let next = await salvaging.next();
    while (next.done !== true) next = await salvaging.next();
    expect(next.value).to.deep.equal({ lost: 1, areAllKnown: true });
    const log = await open();
    const records = await log.idempotencyRecords('2026');
    expect(records.map(({ key }) => key)).to.deep.equal(['k1', 'k3']);
    await log.close();
  });
});
