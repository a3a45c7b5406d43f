import { expect } from 'chai';
import { savedPostingsDecider } from '../../src/domain/saved-postings.ts';
import { ids, times } from '../support/examples.ts';

const metadata = {
  $correlationId: 'request',
  $causationId: 'request',
  actor: ids.user,
  requestId: 'request',
  recordedAt: times.start,
};
const saved = (postingId: string) =>
  ({ type: 'PostingSaved', data: { professionalId: ids.professional, postingId }, metadata }) as const;

describe('A list of saved postings', () => {
  it('is folded in a time that grows with its length, not with its square', () => {
    // If `evolve` copied the list at every event, this length would take 20 seconds.
    const length = 20_000;
    let state = savedPostingsDecider.initialState;
    for (let number = 0; number < length; number++)
      state = savedPostingsDecider.evolve(state, saved(`posting-${number}`));
    expect(state.savedAt.size).to.equal(length);
    expect(savedPostingsDecider.sizeOf?.(state)).to.equal(length);
  }).timeout(5_000);

  it('keeps postings whose ids are names that every object has', () => {
    const before = savedPostingsDecider.initialState;
    expect(before.savedAt.has('constructor')).to.equal(false);
    expect(savedPostingsDecider.evolve(before, saved('__proto__')).savedAt.get('__proto__')).to.equal(times.start);
  });
});
