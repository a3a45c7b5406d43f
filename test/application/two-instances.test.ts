import { expect } from 'chai';
import { savePosting } from '../../commands/saved-postings/save-posting.ts';
import { unsavePosting } from '../../commands/saved-postings/unsave-posting.ts';
import { START_POSITION, type EventStore } from '../../src/event-store/port.ts';
import type { HandleCommand } from '../../src/application/handle-command.ts';
import { postingKnown } from '../commands/known.ts';
import { ids } from '../support/examples.ts';
import { storeWith } from '../support/facts.ts';
import { openMemoryEventStore } from '../support/memory-stores.ts';
import { handlerOn, send, type Request } from '../support/sending.ts';

const save: Request = { as: 'professional', body: { postingId: ids.posting } };

describe('Two instances on one event store', () => {
  let store: EventStore;
  let [one, other]: HandleCommand[] = [];
  const types = async () => (await store.readAll(START_POSITION, 100)).map(({ type }) => type);
  const on = (handle: HandleCommand | undefined) => {
    if (!handle) throw new Error('There is no handler');
    return handle;
  };

  beforeEach(async () => {
    store = openMemoryEventStore();
    await storeWith([postingKnown], store);
    [one, other] = [handlerOn(store), handlerOn(store)];
  });

  it('decide on what the other has appended, where the state they remember would make it needless', async () => {
    await send(on(one), savePosting, save);
    await send(on(other), unsavePosting, save);
    await send(on(one), savePosting, save);
    expect(await types()).to.deep.equal(['PostingRecorded', 'PostingSaved', 'PostingUnsaved', 'PostingSaved']);
  });

  it('decide anew where an append shows that the state they remember is old', async () => {
    await send(on(one), savePosting, save);
    await send(on(one), unsavePosting, save);
    await send(on(other), savePosting, save);
    await send(on(one), savePosting, save);
    expect(await types()).to.deep.equal(['PostingRecorded', 'PostingSaved', 'PostingUnsaved', 'PostingSaved']);
  });

  it('read nothing where an append proves what they remember', async () => {
    await send(on(one), savePosting, save);
    let reads = 0;
    const counting: EventStore = {
      ...store,
      readStream: (stream, from) => {
        if (stream.startsWith('saved')) reads++;
        return store.readStream(stream, from);
      },
    };
    const handle = handlerOn(counting);
    await send(handle, unsavePosting, save);
    expect(reads).to.equal(1);
    await send(handle, savePosting, save);
    expect(reads).to.equal(1);
  });
});
