import { expect } from 'chai';
import { applyToPosting } from '../../commands/candidates/apply-to-posting.ts';
import { savePosting } from '../../commands/saved-postings/save-posting.ts';
import { unsavePosting } from '../../commands/saved-postings/unsave-posting.ts';
import type { IdempotencyStore } from '../../src/event-store/port.ts';
import { bodies, candidateIds, ids, times } from '../support/examples.ts';
import { storeWith } from '../support/facts.ts';
import { postingKnown } from '../commands/known.ts';
import { refusalOf } from '../support/refusal-of.ts';
import { openStore, type ReopenedStore } from '../support/reopened-store.ts';
import { expectOneCarriedOut, handlerOn, keyed, replayed, send, type Request } from '../support/sending.ts';

const save: Request = { as: 'professional', body: { postingId: ids.posting } };
const apply: Request = { as: 'professional', params: { postingId: ids.posting }, body: bodies.application };
const anotherRequest = { reason: 'key-reused', message: 'The Idempotency-Key was used with another request' };

describe('an Idempotency-Key', () => {
  let here: ReopenedStore;
  beforeEach(async () => {
    here = await openStore();
  });
  afterEach(() => here.remove());

  describe('with the same request again', () => {
    beforeEach(() => storeWith([postingKnown], here.store));

    it('gives the reply of the first, status and position too', async () => {
      const first = await send(here.handle, applyToPosting, keyed(apply));
      const second = await send(here.handle, applyToPosting, keyed(apply));
      expect(first).to.deep.include({ status: 201, body: { id: candidateIds.professional } });
      expect(second).to.deep.equal(replayed(first));
    });

    it('gives the reply of the first after the store was opened again', async () => {
      const first = await send(here.handle, applyToPosting, keyed(apply));
      await here.reopen();
      expect(await send(here.handle, applyToPosting, keyed(apply))).to.deep.equal(replayed(first));
    });

    it('gives one reply to all that come at once, at two instances', async () => {
      const instances = [here.handle, handlerOn(here.store)];
      const replies = await Promise.all(
        Array.from({ length: 6 }, () => instances.map((one) => send(one, applyToPosting, keyed(apply)))).flat(),
      );
      const [first] = replies;
      expectOneCarriedOut(replies);
      expect(first?.status).to.equal(201);
      expect(await here.types()).to.deep.equal(['PostingRecorded', 'CandidateApplied']);
    });

    it('gives the reply of a first that appended nothing', async () => {
      const unsave = keyed(save);
      const first = await send(here.handle, unsavePosting, unsave);
      await send(here.handle, savePosting, save);
      expect(await send(here.handle, unsavePosting, unsave)).to.deep.equal(replayed(first));
      expect(await here.types()).to.deep.equal(['PostingRecorded', 'PostingSaved']);
    });

    it('does not save again what was taken off the list since', async () => {
      const first = await send(here.handle, savePosting, keyed(save));
      await send(here.handle, unsavePosting, keyed(save, 'key-2', 'request-b'));
      expect(await send(here.handle, savePosting, keyed(save))).to.deep.equal(replayed(first));
      expect(await here.types()).to.deep.equal(['PostingRecorded', 'PostingSaved', 'PostingUnsaved']);
    });

    it('saves again under another key', async () => {
      await send(here.handle, savePosting, keyed(save));
      await send(here.handle, unsavePosting, keyed(save, 'key-2', 'request-b'));
      await send(here.handle, savePosting, keyed(save, 'key-3'));
      expect((await here.types()).slice(1)).to.deep.equal(['PostingSaved', 'PostingUnsaved', 'PostingSaved']);
    });
  });

  describe('with another request', () => {
    beforeEach(() => storeWith([postingKnown], here.store));
    const other = { ...apply, body: { resumeId: 'resume-2' } };

    it('is refused, and nothing is appended', async () => {
      await send(here.handle, savePosting, keyed(save));
      const refusal = await refusalOf(send(here.handle, applyToPosting, keyed(other, 'key-1', 'request-b')));
      expect(refusal).to.include(anotherRequest);
      expect(await here.types()).to.deep.equal(['PostingRecorded', 'PostingSaved']);
    });

    it('is refused when both come at once, at two instances', async () => {
      const settled = await Promise.allSettled([
        send(here.handle, applyToPosting, keyed(apply)),
        send(handlerOn(here.store), applyToPosting, keyed(other, 'key-1', 'request-b')),
      ]);
      expect(settled.map(({ status }) => status)).to.have.members(['fulfilled', 'rejected']);
      const refused = settled.find(({ status }) => status === 'rejected');
      expect(refused).to.have.property('reason').that.includes(anotherRequest);
    });
  });

  describe('kept for 24 hours', () => {
    const almost = '2026-03-03T09:04:59.999Z';
    const later = '2026-03-03T09:05:00.000Z';
    beforeEach(async () => {
      await storeWith([postingKnown], here.store);
      await send(here.handle, savePosting, keyed({ ...save, at: times.now }));
      await send(here.handle, unsavePosting, save);
    });

    it('replays until just before they are over', async () => {
      const { body } = await send(here.handle, savePosting, keyed({ ...save, at: almost }));
      expect(body).to.deep.include({ savedAt: times.now });
      expect((await here.types()).at(-1)).to.equal('PostingUnsaved');
    });

    it('begins anew once they are over', async () => {
      const { body } = await send(here.handle, savePosting, keyed({ ...save, at: later }));
      expect(body).to.deep.include({ savedAt: later });
      expect((await here.types()).at(-1)).to.equal('PostingSaved');
    });

    it('begins anew once they are over by a clock that jumps there and back', async () => {
      const jumping = [later, times.now, times.now, later];
      const clock = () => new Date(jumping.shift() ?? times.now);
      const reply = await send(here.handle, savePosting, keyed({ ...save, ports: { clock } }));
      expect(reply.status).to.equal(200);
      expect((await here.types()).at(-1)).to.equal('PostingSaved');
    });

    it('may come with another request once they are over', async () => {
      const request = keyed({ ...apply, at: later }, 'key-1', 'request-b');
      expect((await send(here.handle, applyToPosting, request)).status).to.equal(201);
    });
  });

  describe('of a request that was refused', () => {
    it('is not kept: the same request succeeds under it later', async () => {
      expect(await refusalOf(send(here.handle, savePosting, keyed(save)))).to.include({ reason: 'not-found' });
      const request = { key: 'key-1', fingerprint: 'request-a', storedAt: times.now, expiresAt: times.now };
      expect(await here.store.findIdempotencyRecord(request)).to.deep.equal({ kind: 'free' });
      await storeWith([postingKnown], here.store);
      expect((await send(here.handle, savePosting, keyed(save))).status).to.equal(200);
    });

    it('may come with another request', async () => {
      await refusalOf(send(here.handle, savePosting, keyed(save)));
      await storeWith([postingKnown], here.store);
      const reply = await send(here.handle, applyToPosting, keyed(apply, 'key-1', 'request-b'));
      expect(reply.status).to.equal(201);
    });
  });

  describe('that others hold one after another', () => {
    it('is refused as unavailable in the end, with the time to wait', async () => {
      let [looks, waited] = [0, 0];
      const findIdempotencyRecord: IdempotencyStore['findIdempotencyRecord'] = () =>
        Promise.resolve({ kind: 'held', by: `holder-${++looks}`, left: 'request' });
      const pause = (milliseconds: number) => Promise.resolve((waited += milliseconds));
      const handle = handlerOn({ ...here.store, findIdempotencyRecord }, { pause });
      const refusal = await refusalOf(send(handle, savePosting, keyed(save)));
      expect(refusal).to.include({ reason: 'unavailable', retryAfter: 1 });
      expect(waited).to.be.within(40_000, 41_000);
    });
  });
});
