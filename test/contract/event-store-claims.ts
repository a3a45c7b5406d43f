import { expect } from 'chai';
import {
  NO_STREAM,
  type EventStore,
  type KeyClaim,
  type KeyedRequest,
  type NewReceipt,
} from '../../src/event-store/port.ts';
import { appended, begin, newEvents, newReceipt, newStream, receiptUnder } from './new-events.ts';

/** The claims' part of the event store contract; `current` gives the store that is open. */
export const claimContract = (current: () => EventStore): void => {
  describe('a claim of a key', () => {
    const claimed = async (request: KeyedRequest, overdue?: string): Promise<KeyClaim> => {
      const state = await current().claimKey(request, overdue);
      if (state.kind !== 'claimed') throw new Error(`The key is not claimed but ${state.kind}`);
      return state.claim;
    };
    const heldBy = ({ id }: KeyClaim) => ({ kind: 'held', by: id, left: 'request' });
    const appendNew = (receipt: NewReceipt) =>
      current().append({ stream: newStream(), expectedRevision: NO_STREAM, events: newEvents(1), receipt });

    it('is held by one request, whichever other one asks', async () => {
      const receipt = newReceipt();
      const claim = await claimed(receipt);
      expect(await current().claimKey(receipt)).to.deep.equal(heldBy(claim));
      expect(await current().findReceipt(receipt)).to.deep.equal(heldBy(claim));
      expect(await current().findReceipt({ ...receipt, fingerprint: 'another request' })).to.deep.equal(
        heldBy(claim),
      );
    });

    it('is given to one of many that come at once', async () => {
      const receipt = newReceipt();
      const states = await Promise.all(Array.from({ length: 20 }, () => current().claimKey(receipt)));
      expect(states.filter(({ kind }) => kind === 'claimed')).to.have.length(1);
      expect(states.filter(({ kind }) => kind === 'held')).to.have.length(19);
    });

    it('keeps others from storing anything under the key', async () => {
      const receipt = newReceipt();
      await claimed(receipt);
      const stream = newStream();
      const append = { stream, expectedRevision: NO_STREAM, events: newEvents(1), receipt };
      expect(await current().append(append)).to.deep.equal({ kind: 'key-taken' });
      expect(await current().readStream(stream)).to.deep.equal([]);
    });

    it('ends with the receipt that is stored with it', async () => {
      const receipt = newReceipt();
      const claim = await claimed(receipt);
      expect(await appendNew({ ...receipt, claim })).to.include({ kind: 'appended' });
      expect(await current().claimKey(receipt)).to.deep.equal({
        kind: 'found',
        receipt: await receiptUnder(current(), receipt),
      });
      const other = { ...receipt, fingerprint: 'another request' };
      expect(await current().claimKey(other)).to.deep.equal({ kind: 'other-request' });
    });

    it('ends with a receipt without events as well', async () => {
      const receipt = newReceipt();
      const claim = await claimed(receipt);
      const { stream, position } = await begin(current(), 1);
      const append = { stream, expectedRevision: 0, events: [], decidedAt: position };
      await appended(current(), { ...append, receipt: { ...receipt, claim } });
      expect(await receiptUnder(current(), receipt)).to.include({ position });
    });

    it('leaves the key free when it is given back', async () => {
      const receipt = newReceipt();
      const claim = await claimed(receipt);
      await current().releaseKey(claim);
      expect(await current().findReceipt(receipt)).to.deep.equal({ kind: 'free' });
      expect((await claimed(receipt)).id).not.to.equal(claim.id);
    });

    it('lets an append without a claim have the key once it was given back', async () => {
      const receipt = newReceipt();
      await current().releaseKey(await claimed(receipt));
      expect(await appendNew(receipt)).to.include({ kind: 'appended' });
    });

    for (const [what, end] of [
      ['an append with it', (receipt: NewReceipt, claim: KeyClaim) => appendNew({ ...receipt, claim })],
      ['its return', (_: NewReceipt, claim: KeyClaim) => current().releaseKey(claim)],
    ] as const)
      it(`is held after an append that lost a race, until ${what}`, async () => {
        // Given
        const receipt = newReceipt();
        const claim = await claimed(receipt);
        const { stream } = await begin(current(), 2);
        const lost = { stream, expectedRevision: 0, events: newEvents(1), receipt: { ...receipt, claim } };

        // When it loses two of them
        expect(await current().append(lost)).to.deep.equal({ kind: 'wrong-revision' });
        expect(await current().append(lost)).to.deep.equal({ kind: 'wrong-revision' });

        // Then
        expect(await current().claimKey(receipt)).to.deep.equal(heldBy(claim));
        await end(receipt, claim);
        expect((await current().findReceipt(receipt)).kind).to.be.oneOf(['found', 'free']);
        expect(await current().readStream(stream)).to.have.length(2);
      });

    it('is taken over once it is overdue, and its holder can store nothing then', async () => {
      const receipt = newReceipt();
      const first = await claimed(receipt);
      expect(await current().findReceipt(receipt, first.id)).to.deep.equal({ kind: 'free' });
      const second = await claimed(receipt, first.id);
      expect(await appendNew({ ...receipt, claim: first })).to.deep.equal({ kind: 'key-taken' });
      await current().releaseKey(first);
      expect(await current().claimKey(receipt)).to.deep.equal(heldBy(second));
      expect(await appendNew({ ...receipt, claim: second })).to.include({ kind: 'appended' });
    });

    it('is taken over by one of many for whom it is overdue', async () => {
      const receipt = newReceipt();
      const { id } = await claimed(receipt);
      const states = await Promise.all(Array.from({ length: 10 }, () => current().claimKey(receipt, id)));
      expect(states.filter(({ kind }) => kind === 'claimed')).to.have.length(1);
    });

    it('is no other key’s', async () => {
      await claimed(newReceipt());
      expect(await current().findReceipt(newReceipt())).to.deep.equal({ kind: 'free' });
    });
  });
};
