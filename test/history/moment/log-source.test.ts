import { expect } from 'chai';
import { START_POSITION, type EventStore } from '../../../src/event-store/port.ts';
import { historyEventSourceOf } from '../../../src/history/moment/history-event-source.ts';
import { maskBy } from '../../../src/history/moment/mask.ts';
import { postingClosed, postingKnown, professionalKnown } from '../../commands/known.ts';
import { storeWith } from '../../support/facts.ts';

describe('The number of events in a part of the event log', () => {
  const mask = maskBy(undefined);
  let store: EventStore;

  beforeEach(async () => {
    store = await storeWith([professionalKnown, postingKnown, postingClosed]);
  });

  it('is told by a store that counts all of them', async () => {
    const [first, second] = await store.readAll(START_POSITION, 2);
    const range = { after: first?.position ?? START_POSITION, upTo: second?.position ?? START_POSITION };
    expect(await historyEventSourceOf(store, mask).countIn(range)).to.equal(1);
  });

  it('is not told by one that ends a long count early', async () => {
    const ending: EventStore = { ...store, shareOf: () => 0, countAfter: () => Promise.resolve(10_000) };
    const range = { after: START_POSITION, upTo: await store.head() };
    expect(await historyEventSourceOf(ending, mask).countIn(range)).to.equal(undefined);
  });
});
