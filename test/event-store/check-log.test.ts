import { expect } from 'chai';
import type { EventsOrLoss } from '../../src/event-store/events-or-loss.ts';
import type { IdempotencyRecord, RecordedEvent } from '../../src/event-store/port.ts';
import {
  checkCheckpoints,
  checkIdempotencyRecords,
  checkLog,
  createFindingCollector,
} from '../../src/event-store/check-log.ts';

const event = (position: string, stream: string, revision: number, type = 'Known'): RecordedEvent => ({
  position,
  stream,
  revision,
  id: position,
  type,
  version: 1,
  data: {},
  metadata: {},
});
const events = (...of: RecordedEvent[]): EventsOrLoss => ({ kind: 'events', events: of });

const decode = ({ type }: RecordedEvent): unknown => {
  if (type === 'Broken') throw new Error('Event Broken cannot be read');
  return type === 'Unknown' ? undefined : {};
};

/** What is found in a log of these parts, a line each. */
const found = async (...parts: EventsOrLoss[]): Promise<string[]> => {
  const findings = createFindingCollector();
  await checkLog({ parts, decode, onRead: () => undefined }, findings);
  return findings.kept().map(({ where, what }) => `${where}: ${what}`);
};

describe('Checking an event log', () => {
  it('finds nothing where streams have all their revisions', async () => {
    const findings = createFindingCollector();
    const parts = [events(event('1', 'a', 0), event('2', 'b', 0)), events(event('3', 'a', 1))];
    const checked = await checkLog({ parts, decode, onRead: () => undefined }, findings);
    expect(checked).to.deep.equal({ events: 3, streams: 2, noted: [] });
    expect(findings.total()).to.equal(0);
  });

  it('names the revisions that a stream lacks, at its start and later', async () => {
    expect(await found(events(event('1', 'a', 2), event('2', 'a', 3), event('3', 'a', 5)))).to.deep.equal([
      'stream a: it lacks revisions 0 to 1 before position 1',
      'stream a: it lacks revision 4 before position 3',
    ]);
  });

  it('names a revision that stands twice, and counts on from the highest', async () => {
    expect(await found(events(event('1', 'a', 0), event('2', 'a', 0), event('3', 'a', 1)))).to.deep.equal([
      'stream a: its revision 0 stands again at position 2',
    ]);
  });

  it('names events that the code cannot decode or does not know', async () => {
    expect(await found(events(event('1', 'a', 0, 'Broken'), event('2', 'a', 1, 'Unknown')))).to.deep.equal([
      'position 1: Event Broken cannot be read',
      'position 2: this code knows no events of type Unknown',
    ]);
  });

  it('names positions without an event, and those that cannot be read', async () => {
    expect(
      await found(
        { kind: 'missing', first: '1', last: '2', streams: [] },
        { kind: 'unreadable', first: '3', last: '9', why: 'malformed', streams: [] },
        { kind: 'unreadable', first: '12', last: undefined, why: 'malformed', streams: [] },
      ),
    ).to.deep.equal([
      'positions 1 to 2: there is no event',
      'positions 3 to 9: they cannot be read: malformed',
      'positions from 12 on: they cannot be read: malformed',
    ]);
  });

  it('counts findings beyond those that it keeps', async () => {
    const findings = createFindingCollector(1);
    const parts = [events(event('1', 'a', 1), event('2', 'b', 1))];
    await checkLog({ parts, decode, onRead: () => undefined }, findings);
    expect([findings.kept().length, findings.total()]).to.deep.equal([1, 2]);
  });
});

describe('Checking what is stored with an event log', () => {
  const log = {
    readAll: () => Promise.resolve([{ ...event('1', 'a', 0), id: 'first' }]),
    recordAt: (position: string) =>
      Promise.resolve(position === '1' ? { id: 'first', stream: 'a', revision: 0 } : undefined),
  };
  const recordOf = (position: string): IdempotencyRecord => ({
    key: `key-${position}`,
    fingerprint: '',
    result: {},
    position,
    expiresAt: '',
  });

  it('finds an idempotency record whose event is not there', async () => {
    const findings = createFindingCollector();
    await checkIdempotencyRecords(['0', '1', '2'].map(recordOf), log, findings);
    expect(findings.kept()).to.deep.equal([
      { where: 'idempotency record key-2', what: 'there is no event at its position 2' },
    ]);
  });

  it('finds a checkpoint of another event log', async () => {
    const findings = createFindingCollector();
    const checkpoints = new Map([
      ['new', { last: null }],
      ['right', { last: { position: '1', id: 'first' } }],
      ['other', { last: { position: '1', id: 'second' } }],
      ['beyond', { last: { position: '2', id: 'second' } }],
    ]);
    await checkCheckpoints(checkpoints, log, findings);
    expect(findings.kept().map(({ where }) => where)).to.deep.equal(['build other', 'build beyond']);
  });
});
