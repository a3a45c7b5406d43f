import { expect } from 'chai';
import { openEventStoreDb } from '../../src/event-store/eventstoredb/event-store.ts';
import { NO_STREAM, type EventStore } from '../../src/event-store/port.ts';
import { idsOf, newEvents, newIdempotencyRecord, newStream } from '../contract/new-events.ts';
import { eventually } from '../support/eventually.ts';
import { newPrefix, withServer } from '../support/servers.ts';
import { openLink, type Link } from './link.ts';

const NAME = 'An append to EventStoreDB that is stored and not answered';

withServer(NAME, 'TEST_EVENTSTORE_URL', (url) => {
  describe(NAME, () => {
    let link: Link;
    let [far, near]: [EventStore?, EventStore?] = [];
    beforeEach(async () => {
      link = await openLink(url);
      const settings = { prefix: newPrefix(), categories: ['contract'] };
      far = openEventStoreDb({ ...settings, url: link.urlOf(url) });
      near = openEventStoreDb({ ...settings, url });
    });
    afterEach(async () => {
      await far?.close();
      await near?.close();
      await link.close();
    });

    const idempotencyRecord = newIdempotencyRecord();
    const points = [
      ['the events themselves', undefined, async (stream: string) => (await near?.readStream(stream))?.length === 3],
      [
        'what is intended under an Idempotency-Key',
        idempotencyRecord,
        // Another instance, which has waited for the key's holder, completes the append.
        async () => {
          const state = await near?.findIdempotencyRecord(idempotencyRecord);
          return (
            state?.kind === 'held' && (await near?.findIdempotencyRecord(idempotencyRecord, state.by))?.kind === 'found'
          );
        },
      ],
    ] as const;
    for (const [what, withIdempotencyRecord, isStored] of points)
      it(`lands once, and is answered in the end: ${what}`, async () => {
        // Given an append that the server has stored, where the answer is lost and then the connection
        const stream = newStream();
        const events = newEvents(3);
        const [first = ''] = idsOf(events);
        const arrived = link.muteFrom((message) => message.includes(stream) && message.includes(first));
        const appending = far?.append({
          stream,
          expectedRevision: NO_STREAM,
          events,
          idempotencyRecord: withIdempotencyRecord,
        });
        await arrived;
        await eventually('the server has it', () => isStored(stream));
        link.cut();

        // Then
        expect(await appending).to.include({ kind: 'appended' });
        expect(idsOf((await near?.readStream(stream)) ?? [])).to.deep.equal(idsOf(events));
      });
  });
});
