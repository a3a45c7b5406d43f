import { expect } from 'chai';
import { recordPosting } from '../../commands/postings/record-posting.ts';
import { bodies, ids } from '../support/examples.ts';
import { openMemoryEventStore } from '../support/memory-stores.ts';
import { handlerOn, send } from '../support/sending.ts';

describe('An instance that has cached the state of a stream', () => {
  it('decides on what another has stored since, where by its cache nothing would change', async () => {
    // Given two instances, of which the first has cached the posting as it recorded it
    const store = openMemoryEventStore();
    const [first, second] = [handlerOn(store), handlerOn(store)];
    const record = (handle: typeof first, title: string) =>
      send(handle, recordPosting, {
        params: { id: ids.posting },
        body: { ...bodies.posting, title },
        ports: { ids: { uuid: () => crypto.randomUUID(), code: () => '' } },
      });
    await record(first, 'Hygienist');
    await record(second, 'Dentist');

    // When
    await record(first, 'Hygienist');

    // Then
    const events = await store.readStream(`posting-${ids.posting}`);
    expect(events.map(({ data }) => data['title'])).to.deep.equal(['Hygienist', 'Dentist', 'Hygienist']);
  });
});
