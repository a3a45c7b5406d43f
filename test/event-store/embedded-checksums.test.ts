import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { crc32 } from 'node:zlib';
import { expect } from 'chai';
import { readSortedGroups } from '../../src/event-store/embedded/groups.ts';
import { openEventReader, type EventReader } from '../../src/event-store/embedded/reader.ts';
import { toPosition } from '../../src/event-store/embedded/schema.ts';
import { countEventsByType } from '../../src/event-store/type-counts.ts';
import {
  LogDamagedError,
  NO_STREAM,
  START_POSITION,
  type LogDamage,
  type EventStore,
} from '../../src/event-store/port.ts';
import { closeAfter, openWriter } from '../../src/sqlite/connections.ts';
import { fileFailureOf } from '../../src/sqlite/failures.ts';
import { eventually } from '../support/eventually.ts';
import { failureOf, messageOf } from '../support/refusal-of.ts';
import { directoryForEach } from '../support/files.ts';
import { newEvents } from '../contract/new-events.ts';
import { openLogHere, threadsHere } from '../support/threads-here.ts';

const HEAD = 6;
const DAMAGED = 4;

describe('The checksums of an event log in a file', () => {
  const directory = directoryForEach('hiring-checksums-');
  const file = () => join(directory(), 'events.db');
  const change = (sql: string) => closeAfter(openWriter(file(), 'NORMAL'), (connection) => connection.exec(sql));
  const rows = (sql: string) =>
    closeAfter(openWriter(file(), 'NORMAL'), (connection) => connection.prepare(sql).raw().all([]));

  /** Two events each of three streams, of two types. */
  beforeEach(async () => {
    const store = await openLogHere(file());
    for (let position = 1; position <= HEAD; position++)
      await store.append({
        stream: `s-${position % 3}`,
        expectedRevision: position <= 3 ? NO_STREAM : 0,
        events: [
          {
            id: `e${position} "é"`,
            type: position % 2 === 0 ? 'Even' : 'Odd',
            version: 1,
            data: { of: `g${position % 2}`, text: 'zoë\n' },
            metadata: { recordedAt: `2026-03-01T00:00:0${position}.000Z` },
          },
        ],
      });
    await store.close();
  });

  it('are CRC-32 of a text that SQL can put together, known up to the last event after a stop', () => {
    const texts = rows(
      `SELECT '{"position":"' || printf('%016d', position) || '","stream":' || json_quote(stream) || ',"revision":' || revision ||
         ',"id":' || json_quote(id) || ',"type":' || json_quote(type) || ',"version":' || version || ',"data":' || data ||
         ',"metadata":' || metadata || '}', checksum FROM events`,
    ) as [string, number][];
    expect(texts.map(([text]) => crc32(text))).to.deep.equal(texts.map(([, checksum]) => checksum));
    expect(rows('PRAGMA user_version')).to.deep.equal([[HEAD]]);
  });

  /** Each way to read events, up to the end. */
  const reads: Record<string, (log: EventReader) => Promise<unknown>> = {
    'a range': (log) => log.readAll(START_POSITION, 100),
    'a subscription of another type': async (log) => {
      const { signal } = new AbortController();
      const types = ['Odd'];
      for await (const { isLast } of log.subscribe(START_POSITION, { batchSize: 2, signal, types })) if (isLast) return;
    },
    'its stream': (log) => log.readStream('s-1'),
    'some streams': (log) => log.readStreams(['s-0', 's-1']),
    groups: async (log) => {
      const { signal } = new AbortController();
      const read = { by: 'of', types: ['Odd'], upTo: toPosition(HEAD), batchSize: 2 };
      for await (const { texts } of log.readGroups(read, signal)) expect(texts).not.to.be.empty;
    },
    types: (log) => countEventsByType(log, toPosition(HEAD)),
  };

  for (const [what, sql] of Object.entries({
    'a changed byte': `UPDATE events SET data = replace(data, 'o', 'p') WHERE position = ${DAMAGED}`,
    'another type': `UPDATE events SET type = 'Odd' WHERE position = ${DAMAGED}`,
    'no checksum any more': `UPDATE events SET checksum = NULL WHERE position = ${DAMAGED}`,
    'an event that is gone': `DELETE FROM events WHERE position = ${DAMAGED}`,
  }))
    for (const [name, read] of Object.entries(reads))
      if (what !== 'an event that is gone' || !name.includes('stream'))
        it(`tell of ${what}, whatever is read: ${name}`, async () => {
          change(sql);
          const log = openEventReader(file());
          const error = await failureOf(read(log));
          await log.close();
          const damage = error instanceof LogDamagedError ? error.details : error;
          expect(damage).to.include({ file: file(), first: toPosition(DAMAGED) });
        });

  it('let a stream be read that is sound', async () => {
    change(`UPDATE events SET data = '{}' WHERE position = ${DAMAGED}`);
    const log = openEventReader(file());
    expect(await log.readStream('s-2')).to.have.length(2);
    await log.close();
  });

  it('tell of a gap in a stream', async () => {
    change(`DELETE FROM events WHERE position = 1`);
    const log = openEventReader(file());
    expect(await messageOf(log.readStream('s-1'))).to.include('lacks revision 0');
    await log.close();
  });

  it('leave no event of a stream out untold that the index of streams does not lead to', async () => {
    change('PRAGMA wal_checkpoint(TRUNCATE)');
    const sound = readFileSync(file());
    const pageSize = sound.readUInt16BE(16);
    const LEAF_OF_INDEX = 10;
    let keys = 0;
    for (let at = sound.indexOf('s-'); at >= 0; at = sound.indexOf('s-', at + 1)) {
      if (sound[at - (at % pageSize)] !== LEAF_OF_INDEX) continue;
      keys++;
      for (const bit of [1, 2, 4, 8]) {
        const damaged = Buffer.from(sound);
        damaged[at + 2] = (sound[at + 2] ?? 0) ^ bit;
        writeFileSync(file(), damaged);
        const log = openEventReader(file());
        const name = sound.toString('latin1', at, at + 3);
        expect(await failureOf(log.readStream(name)), `${name} ${bit}`).to.be.instanceOf(LogDamagedError);
        expect(await failureOf(log.readStreams([name])), `${name} ${bit}`).to.be.instanceOf(LogDamagedError);
        expect(await failureOf(log.readStream(name, 1)), `${name} ${bit}`).to.be.instanceOf(LogDamagedError);
        await log.close();
      }
    }
    expect(keys).to.equal(HEAD);
  });

  it('leave every read right or refused as damaged, whichever sector of the file is changed', async () => {
    const SECTOR = 512;
    change('PRAGMA wal_checkpoint(TRUNCATE)');
    const sound = readFileSync(file());
    const all: Record<string, (log: EventReader) => unknown> = {
      ...reads,
      groups: () => [...readSortedGroups(file(), { by: 'of', types: ['Odd'], upTo: toPosition(HEAD), batchSize: 2 })],
      'an event': (log) => log.recordAt(toPosition(DAMAGED)),
      // Only for a progress: a changed type is counted as another.
      'a count': async (log) => typeof (await log.countOf(['Odd'], toPosition(HEAD))),
    };
    const answersOf = async (): Promise<Record<string, unknown>> => {
      const answers: Record<string, unknown> = {};
      for (const [name, read] of Object.entries(all)) {
        let log: EventReader | undefined;
        try {
          log = openEventReader(file());
          answers[name] = await read(log);
        } catch (error) {
          if (!(error instanceof LogDamagedError) && fileFailureOf(error) !== 'damaged') throw error;
        } finally {
          await log?.close();
        }
      }
      return answers;
    };
    const right = await answersOf();
    expect(Object.keys(right)).to.deep.equal(Object.keys(all));
    for (let from = 0; from < sound.length; from += SECTOR)
      for (const [what, filled] of Object.entries({ zeros: 0, garbage: 0xa5 })) {
        const damaged = Buffer.from(sound).fill(filled, from, from + SECTOR);
        writeFileSync(file(), damaged);
        for (const [name, answer] of Object.entries(await answersOf()))
          expect(answer, `${name} with ${what} at ${from}`).to.deep.equal(right[name]);
      }
  });

  it('tell of an end that is gone', () => {
    change(`DELETE FROM events WHERE position = ${HEAD}`);
    expect(() => openEventReader(file())).to.throw(LogDamagedError, `there is no event`);
    expect(() => [...readSortedGroups(file(), { by: 'of', types: [], upTo: toPosition(HEAD), batchSize: 1 })]).to.throw(
      LogDamagedError,
    );
  });

  describe('of a file that earlier code has written', () => {
    const uncheckedAndNoted = () =>
      rows('SELECT sum(checksum IS NULL), (SELECT user_version FROM pragma_user_version) FROM events')[0];
    const started = async (): Promise<{ store: EventStore; damages: LogDamage[] }> => {
      const damages: LogDamage[] = [];
      const store = await openLogHere(file(), (damage) => damages.push(damage));
      return { store, damages };
    };
    /** As such code goes on writing, too. */
    const appendAsEarlier = (position: number) =>
      change(
        `INSERT INTO events (position, stream, revision, id, type, version, data, metadata)
         VALUES (${position}, 's-${position}', 0, 'e${position}', 'Odd', 1, '{}', '{}')`,
      );
    beforeEach(() => change('ALTER TABLE events DROP COLUMN checksum; PRAGMA user_version = 0'));

    it('are given by the first start, and by the next to what such code has appended meanwhile', async () => {
      const first = await started();
      await eventually('all have one', () => String(uncheckedAndNoted()) === `0,${HEAD}`);
      await first.store.close();

      appendAsEarlier(HEAD + 1);
      expect(uncheckedAndNoted()).to.deep.equal([1, HEAD]);
      const next = await started();
      await eventually('all have one again', () => String(uncheckedAndNoted()) === `0,${HEAD + 1}`);
      expect(await next.store.readAll(START_POSITION, 100)).to.have.length(HEAD + 1);
      await next.store.close();
      expect([...first.damages, ...next.damages]).to.deep.equal([]);
    });

    it('fail no append where they cannot be stored', async () => {
      change("CREATE TRIGGER full BEFORE UPDATE ON events BEGIN SELECT RAISE(FAIL, 'It is full'); END");
      const writer = threadsHere.writer();
      await writer.run({ file: file() });
      const [appended, added] = await Promise.allSettled([
        writer.run({ stream: 's-new', expectedRevision: NO_STREAM, events: newEvents(1) }),
        writer.run({ addChecksums: HEAD }),
      ]);
      writer.close();
      expect(appended).to.deep.include({ status: 'fulfilled' });
      expect(added.status).to.equal('rejected');
    });

    it('are not given where it is damaged, which is told', async () => {
      change('DELETE FROM events WHERE position = 2');
      const { store, damages } = await started();
      await eventually('it is told', () => damages.length > 0);
      await store.close();
      expect(damages).to.deep.equal([
        { file: file(), first: toPosition(2), last: toPosition(2), what: 'there is no event', streams: [] },
      ]);
      expect(uncheckedAndNoted()).to.deep.equal([HEAD - 1, 0]);
    });
  });

  it('are verified by a start, whose damage leaves sound streams to be appended to', async () => {
    change(`UPDATE events SET data = '{}' WHERE position = ${DAMAGED}`);
    const damages: LogDamage[] = [];
    const store = await openLogHere(file(), (damage) => damages.push(damage));
    const events = [{ id: 'new', type: 'Odd', version: 1, data: {}, metadata: {} }];
    await eventually('it is told', () => damages.length > 0);
    expect(damages[0]).to.deep.include({ first: toPosition(DAMAGED), last: toPosition(DAMAGED), streams: ['s-1'] });
    const refused = await failureOf(store.append({ stream: 's-1', expectedRevision: 1, events }));
    expect(refused).to.be.instanceOf(LogDamagedError);
    expect(await store.append({ stream: 's-2', expectedRevision: 1, events })).to.include({ kind: 'appended' });
    await store.close();
  });
});
