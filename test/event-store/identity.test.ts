import { expect } from 'chai';
import {
  toLogIdentityReader,
  compareLogIdentity,
  describeMissingEvents,
  type SeenLogPointers,
} from '../../src/event-store/identity.ts';
import { NO_STREAM, START_POSITION, type EventStore, type EventPointer } from '../../src/event-store/port.ts';
import { appended, newEvent } from '../contract/new-events.ts';
import { openMemoryEventStore } from '../support/memory-stores.ts';

/** An event log with events of these ids, each in a stream of its own. */
const logOf = async (...ids: readonly string[]): Promise<EventStore> => {
  const log = openMemoryEventStore();
  for (const id of ids) {
    const event = { ...newEvent(), id, metadata: { recordedAt: `at ${id}` } };
    await appended(log, { stream: `contract-${id}`, expectedRevision: NO_STREAM, events: [event] });
  }
  return log;
};
const markAt = (number: number, id: string): EventPointer => ({ position: String(number).padStart(6, '0'), id });
const compared = async (seen: SeenLogPointers, ...ids: readonly string[]) =>
  compareLogIdentity(seen, toLogIdentityReader(await logOf(...ids)));

describe('An event log, compared with what was seen of it,', () => {
  const seen = { first: markAt(1, 'a'), last: markAt(3, 'c') };

  it('is the same where the last event stands in it', async () => {
    expect(await compared(seen, 'a', 'b', 'c', 'd')).to.deep.equal({ kind: 'same', at: seen.last.position });
    expect(await compared({ last: null }, 'a')).to.deep.equal({ kind: 'same', at: START_POSITION });
    expect(await compared({ last: null })).to.deep.equal({ kind: 'same', at: START_POSITION });
  });

  it('is an older one where its end is not there, or others came instead', async () => {
    const older = { kind: 'older', lacks: seen.last };
    expect(await compared(seen, 'a', 'b')).to.deep.equal(older);
    expect(await compared(seen, 'a', 'b', 'x', 'y')).to.deep.equal(older);
  });

  it('is the same identity at another place, as in a copy of other positions', async () => {
    const moved = { first: markAt(2, 'a'), last: markAt(4, 'c') };
    expect(await compared(moved, 'a', 'b', 'c')).to.deep.equal({ kind: 'older', lacks: moved.last });
  });

  it('is another one where its first event is another', async () => {
    expect(await compared(seen, 'x', 'b', 'c')).to.deep.equal({ kind: 'other', expected: 'a', found: 'x' });
  });

  it('is gone where it has no events', async () => {
    expect(await compared(seen)).to.deep.equal({ kind: 'gone', expected: 'a' });
    expect(await compared({ last: seen.last })).to.deep.equal({ kind: 'gone', expected: undefined });
  });

  it('is told by its end where older code has kept no first event', async () => {
    const older = { last: seen.last };
    expect(await compared(older, 'a', 'b', 'c')).to.deep.equal({ kind: 'same', at: seen.last.position });
    expect(await compared(older, 'a', 'b')).to.deep.equal({ kind: 'older', lacks: seen.last });
  });

  it('tells what it lacks: how many events, of which positions, since when', async () => {
    const lack = async (...ids: readonly string[]) => describeMissingEvents(await logOf(...ids), seen.last);
    expect(await lack('a')).to.equal('it lacks 2 events, of positions 000002 to 000003: what was recorded since at a');
    expect(await lack('a', 'b')).to.equal('it lacks 1 event, of position 000003: what was recorded since at b');
    expect(await lack('a', 'b', 'x')).to.equal(
      'it lacks event c, which stood at position 000003, where another stands: its end was lost, and others came after it',
    );
  });
});
