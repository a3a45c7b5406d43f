import { randomUUID } from 'node:crypto';
import { EventEmitter, once } from 'node:events';
import { expect } from 'chai';
import { recordPosting } from '../../commands/postings/record-posting.ts';
import { savePosting } from '../../commands/saved-postings/save-posting.ts';
import { unsavePosting } from '../../commands/saved-postings/unsave-posting.ts';
import { issuePhoneCode } from '../../commands/users/issue-phone-code.ts';
import { deciders } from '../../src/domain/index.ts';
import { openEventStoreDb } from '../../src/event-store/eventstoredb/event-store.ts';
import type { EventStore } from '../../src/event-store/port.ts';
import type { HandleCommand } from '../../src/application/handle-command.ts';
import type { Ports } from '../../src/ports/index.ts';
import { bodies, codes, ids, phoneNumbers } from '../support/examples.ts';
import { newEmbeddedLog, newMemoryLog } from '../support/log-stores.ts';
import { refusalOf } from '../support/refusal-of.ts';
import { expectOneCarriedOut, handlerOn, keyed, replayed, send, type Request } from '../support/sending.ts';
import { newPrefix, withServer } from '../support/servers.ts';

interface Instances {
  readonly stores: readonly [EventStore, EventStore, EventStore];
  remove(): Promise<void>;
}

/** A delivery that stays under way until the test ends it. */
const heldDelivery = () => {
  const signals = new EventEmitter();
  let sent = 0;
  const deliver: Ports['codes'] = async () => {
    sent++;
    const ended = once(signals, 'ended');
    signals.emit('begun');
    if ((await ended).includes('failed')) throw new Error('The test lets deliveries fail');
  };
  return {
    deliver,
    begun: once(signals, 'begun'),
    sent: () => sent,
    succeed: () => signals.emit('ended'),
    fail: () => signals.emit('ended', 'failed'),
  };
};

/** A store, and its first answer to the search for an idempotency record. */
const withAnswers = (store: EventStore) => {
  const answers = new EventEmitter();
  const findIdempotencyRecord: EventStore['findIdempotencyRecord'] = async (...asked) => {
    const answer = await store.findIdempotencyRecord(...asked);
    answers.emit('answer', answer);
    return answer;
  };
  const answered = once(answers, 'answer').then(([answer]: unknown[]) => answer);
  return { store: { ...store, findIdempotencyRecord }, answered };
};

/** EventStoreDB takes only UUIDs as event ids. */
const asked = (request: Request, codesOf: Ports['codes'] = () => Promise.resolve()): Request => ({
  ...request,
  ports: { ids: { uuid: randomUUID, code: () => codes.right }, codes: codesOf },
});
const codeRequest = { as: 'professional', body: { phoneNumber: phoneNumbers.wanted } } as const;
const saveRequest = { as: 'professional', body: { postingId: ids.posting } } as const;

const suite = (name: string, open: () => Promise<Instances>): void => {
  describe(`Several instances that get one Idempotency-Key: ${name}`, () => {
    let instances: Instances;
    let one: HandleCommand;
    let other: HandleCommand;
    let third: HandleCommand;
    beforeEach(async () => {
      instances = await open();
      const { stores } = instances;
      [one, other, third] = [handlerOn(stores[0]), handlerOn(stores[1]), handlerOn(stores[2])];
      await send(one, recordPosting, asked({ params: { id: ids.posting }, body: bodies.posting }));
    });
    afterEach(() => instances.remove());
    const typesOf = async (stream: string) => (await instances.stores[0].readStream(stream)).map(({ type }) => type);
    const codeTypes = () => typesOf(`user-${ids.user}`);

    it('send one code, and issue one', async () => {
      // Given a request whose code is being delivered
      const { deliver, begun, sent, succeed } = heldDelivery();
      const request = keyed(asked(codeRequest, deliver));
      const first = send(one, issuePhoneCode, request);
      await begun;

      // When the other instances get the same request
      const others = instances.stores.slice(1).map(withAnswers);
      const repeated = others.map(({ store }) => send(handlerOn(store), issuePhoneCode, request));
      for (const { answered } of others) expect(await answered).to.include({ kind: 'held' });
      succeed();

      // Then
      const reply = await first;
      expect(reply.status).to.equal(202);
      expect(await Promise.all(repeated)).to.deep.equal([replayed(reply), replayed(reply)]);
      expect(sent()).to.equal(1);
      expect(await codeTypes()).to.deep.equal(['CodeIssued', 'CodeDelivered']);
    });

    it('send one code when it comes to all at the same moment', async () => {
      let sent = 0;
      const counted: Ports['codes'] = () => {
        sent++;
        return Promise.resolve();
      };
      const request = keyed(asked(codeRequest, counted));
      const replies = await Promise.all([one, other, third].map((handle) => send(handle, issuePhoneCode, request)));
      expect(sent).to.equal(1);
      expectOneCarriedOut(replies);
      expect(await codeTypes()).to.deep.equal(['CodeIssued', 'CodeDelivered']);
    });

    it('try again where the first could not deliver its code', async () => {
      const { deliver, begun, fail } = heldDelivery();
      const first = refusalOf(send(one, issuePhoneCode, keyed(asked(codeRequest, deliver))));
      await begun;
      const second = send(other, issuePhoneCode, keyed(asked(codeRequest)));
      fail();
      expect(await first).to.include({ reason: 'unavailable' });
      expect((await second).status).to.equal(202);
      expect(await codeTypes()).to.deep.equal(['CodeIssued', 'CodeDeliveryFailed', 'CodeIssued', 'CodeDelivered']);
    });

    it('take over from a first that does not end; if it ends after all, it gets the same answer', async () => {
      const { deliver, begun, succeed } = heldDelivery();
      const first = send(one, issuePhoneCode, keyed(asked(codeRequest, deliver)));
      await begun;
      const inNoTime = handlerOn(instances.stores[1], { pause: () => Promise.resolve() });
      const second = await send(inNoTime, issuePhoneCode, keyed(asked(codeRequest)));
      expect(second.status).to.equal(202);
      succeed();
      expect(await first).to.deep.equal(replayed(second));
    });

    it('carry another request out where the first never ends', async () => {
      const { deliver, begun } = heldDelivery();
      void send(one, issuePhoneCode, keyed(asked(codeRequest, deliver)));
      await begun;
      const inNoTime = handlerOn(instances.stores[1], { pause: () => Promise.resolve() });
      const request = keyed(asked(saveRequest), 'key-1', 'request-b');
      expect((await send(inNoTime, savePosting, request)).status).to.equal(200);
    });

    it('refuse another request once the first has succeeded, and do nothing of it', async () => {
      const { deliver, begun, succeed } = heldDelivery();
      const first = send(one, issuePhoneCode, keyed(asked(codeRequest, deliver)));
      await begun;
      const second = refusalOf(send(other, savePosting, keyed(asked(saveRequest), 'key-1', 'request-b')));
      succeed();
      await first;
      expect(await second).to.include({ reason: 'key-reused' });
      expect(await typesOf(`savedPostings-${ids.professional}`)).to.deep.equal([]);
    });

    it('carry another request out once the first was refused', async () => {
      const { deliver, begun, fail } = heldDelivery();
      const first = refusalOf(send(one, issuePhoneCode, keyed(asked(codeRequest, deliver))));
      await begun;
      const second = send(other, savePosting, keyed(asked(saveRequest), 'key-1', 'request-b'));
      fail();
      await first;
      expect((await second).status).to.equal(200);
    });

    it('do what comes to all at the same moment once, round after round', async () => {
      for (let round = 0; round < 10; round++) {
        const act = round % 2 === 0 ? savePosting : unsavePosting;
        const request = keyed(asked(saveRequest), `round-${round}`);
        const replies = await Promise.all([one, other, third].map((handle) => send(handle, act, request)));
        expectOneCarriedOut(replies);
      }
      expect(await typesOf(`savedPostings-${ids.professional}`)).to.have.length(10);
    });
  });
};

const sharing = (openLog: typeof newMemoryLog) => async (): Promise<Instances> => {
  const { store, remove } = await openLog();
  return { stores: [store, store, store], remove };
};
suite('in memory', sharing(newMemoryLog));
suite('on a file', sharing(newEmbeddedLog));
withServer('Several instances that get one Idempotency-Key: EventStoreDB', 'TEST_EVENTSTORE_URL', (url) => {
  suite('EventStoreDB', () => {
    const settings = { url, prefix: newPrefix(), categories: deciders.map(({ category }) => category) };
    const stores = [openEventStoreDb(settings), openEventStoreDb(settings), openEventStoreDb(settings)] as const;
    return Promise.resolve({
      stores,
      async remove() {
        for (const store of stores) await store.close();
      },
    });
  });
});
