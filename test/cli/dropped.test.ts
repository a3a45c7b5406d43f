import { expect } from 'chai';
import { whenDropped } from '../../src/cli/dropped.ts';
import { ForeignEvent } from '../../src/event-store/eventstoredb-events.ts';

describe('A command whose subscription is dropped', () => {
  const dropped = (error: unknown) => {
    const over = new AbortController();
    const told: string[] = [];
    whenDropped(
      over,
      ({ message }) => new Error(`over: ${message}`),
      (line) => told.push(line),
    )(error);
    return { told, isOver: over.signal.aborted, reason: String(over.signal.reason) };
  };

  it('says in one line that it waits for the server', () => {
    const { told, isOver } = dropped(new Error('14 UNAVAILABLE:\nno connection'));
    expect(told).to.deep.equal([
      '\nEventStoreDB has stopped answering, and is waited for: 14 UNAVAILABLE: no connection\n',
    ]);
    expect(isOver).to.equal(false);
  });

  it('is over at what something else has written, which does not go away', () => {
    expect(dropped(new ForeignEvent('not ours'))).to.deep.equal({
      told: [],
      isOver: true,
      reason: 'Error: over: not ours',
    });
  });
});
