import { expect } from 'chai';
import {
  NO_STREAM,
  type EventStore,
  type KeyClaim,
  type KeyedRequest,
  type NewIdempotencyRecord,
} from '../../src/event-store/port.ts';
import { appended, begin, newEvents, newIdempotencyRecord, newStream, idempotencyRecordUnder } from './new-events.ts';

/** The claims' part of the event store contract; `current` gives the store that is open. */
export const claimContract = (current: () => EventStore): void => {
  describe('a claim of a key', () => {
    const claimed = async (request: KeyedRequest, overdue?: string): Promise<KeyClaim> => {
      const state = await current().claimKey(request, overdue);
      if (state.kind !== 'claimed') throw new Error(`The key is not claimed but ${state.kind}`);
      return state.claim;
    };
    const heldBy = ({ id }: KeyClaim) => ({ kind: 'held', by: id, left: 'request' });
    const appendNew = (idempotencyRecord: NewIdempotencyRecord) =>
      current().append({ stream: newStream(), expectedRevision: NO_STREAM, events: newEvents(1), idempotencyRecord });

    it('is held by one request, whichever other one asks', async () => {
      const idempotencyRecord = newIdempotencyRecord();
      const claim = await claimed(idempotencyRecord);
      expect(await current().claimKey(idempotencyRecord)).to.deep.equal(heldBy(claim));
      expect(await current().findIdempotencyRecord(idempotencyRecord)).to.deep.equal(heldBy(claim));
      expect(
        await current().findIdempotencyRecord({ ...idempotencyRecord, fingerprint: 'another request' }),
      ).to.deep.equal(heldBy(claim));
    });

    it('is given to one of many that come at once', async () => {
      const idempotencyRecord = newIdempotencyRecord();
      const states = await Promise.all(Array.from({ length: 20 }, () => current().claimKey(idempotencyRecord)));
      expect(states.filter(({ kind }) => kind === 'claimed')).to.have.length(1);
      expect(states.filter(({ kind }) => kind === 'held')).to.have.length(19);
    });

    it('keeps others from storing anything under the key', async () => {
      const idempotencyRecord = newIdempotencyRecord();
      await claimed(idempotencyRecord);
      const stream = newStream();
      const append = { stream, expectedRevision: NO_STREAM, events: newEvents(1), idempotencyRecord };
      expect(await current().append(append)).to.deep.equal({ kind: 'key-taken' });
      expect(await current().readStream(stream)).to.deep.equal([]);
    });

    it('ends with the idempotency record that is stored with it', async () => {
      const idempotencyRecord = newIdempotencyRecord();
      const claim = await claimed(idempotencyRecord);
      expect(await appendNew({ ...idempotencyRecord, claim })).to.include({ kind: 'appended' });
      expect(await current().claimKey(idempotencyRecord)).to.deep.equal({
        kind: 'found',
        idempotencyRecord: await idempotencyRecordUnder(current(), idempotencyRecord),
      });
      const other = { ...idempotencyRecord, fingerprint: 'another request' };
      expect(await current().claimKey(other)).to.deep.equal({ kind: 'other-request' });
    });

    it('ends with an idempotency record without events as well', async () => {
      const idempotencyRecord = newIdempotencyRecord();
      const claim = await claimed(idempotencyRecord);
      const { stream, position } = await begin(current(), 1);
      const append = { stream, expectedRevision: 0, events: [], lastSeen: position };
      await appended(current(), { ...append, idempotencyRecord: { ...idempotencyRecord, claim } });
      expect(await idempotencyRecordUnder(current(), idempotencyRecord)).to.include({ position });
    });

    it('leaves the key free when it is given back', async () => {
      const idempotencyRecord = newIdempotencyRecord();
      const claim = await claimed(idempotencyRecord);
      await current().releaseKey(claim);
      expect(await current().findIdempotencyRecord(idempotencyRecord)).to.deep.equal({ kind: 'free' });
      expect((await claimed(idempotencyRecord)).id).not.to.equal(claim.id);
    });

    it('lets an append without a claim have the key once it was given back', async () => {
      const idempotencyRecord = newIdempotencyRecord();
      await current().releaseKey(await claimed(idempotencyRecord));
      expect(await appendNew(idempotencyRecord)).to.include({ kind: 'appended' });
    });

    for (const [what, end] of [
      [
        'an append with it',
        (idempotencyRecord: NewIdempotencyRecord, claim: KeyClaim) => appendNew({ ...idempotencyRecord, claim }),
      ],
      ['its return', (_: NewIdempotencyRecord, claim: KeyClaim) => current().releaseKey(claim)],
    ] as const)
      it(`is held after an append that lost a race, until ${what}`, async () => {
        // Given a claimed key
        const idempotencyRecord = newIdempotencyRecord();
        const claim = await claimed(idempotencyRecord);
        const { stream } = await begin(current(), 2);
        const lost = {
          stream,
          expectedRevision: 0,
          events: newEvents(1),
          idempotencyRecord: { ...idempotencyRecord, claim },
        };

        // When two appends under it lose their race
        expect(await current().append(lost)).to.deep.equal({ kind: 'wrong-revision' });
        expect(await current().append(lost)).to.deep.equal({ kind: 'wrong-revision' });

        // Then
        expect(await current().claimKey(idempotencyRecord)).to.deep.equal(heldBy(claim));
        await end(idempotencyRecord, claim);
        expect((await current().findIdempotencyRecord(idempotencyRecord)).kind).to.be.oneOf(['found', 'free']);
        expect(await current().readStream(stream)).to.have.length(2);
      });

    it('is taken over once it is overdue, and its holder can store nothing then', async () => {
      const idempotencyRecord = newIdempotencyRecord();
      const first = await claimed(idempotencyRecord);
      expect(await current().findIdempotencyRecord(idempotencyRecord, first.id)).to.deep.equal({ kind: 'free' });
      const second = await claimed(idempotencyRecord, first.id);
      expect(await appendNew({ ...idempotencyRecord, claim: first })).to.deep.equal({ kind: 'key-taken' });
      await current().releaseKey(first);
      expect(await current().claimKey(idempotencyRecord)).to.deep.equal(heldBy(second));
      expect(await appendNew({ ...idempotencyRecord, claim: second })).to.include({ kind: 'appended' });
    });

    it('is taken over by one of many for whom it is overdue', async () => {
      const idempotencyRecord = newIdempotencyRecord();
      const { id } = await claimed(idempotencyRecord);
      const states = await Promise.all(Array.from({ length: 10 }, () => current().claimKey(idempotencyRecord, id)));
      expect(states.filter(({ kind }) => kind === 'claimed')).to.have.length(1);
    });

    it('is no other key’s', async () => {
      await claimed(newIdempotencyRecord());
      expect(await current().findIdempotencyRecord(newIdempotencyRecord())).to.deep.equal({ kind: 'free' });
    });
  });
};
