import { expect } from 'chai';
import { savedPostingSummariesCollection } from '../../projections/parts/saved-posting-summary.ts';
import { savedPostings } from '../../projections/saved-postings.ts';
import { postingDecider } from '../../src/domain/posting.ts';
import { bodies, homes, ids, times } from '../support/examples.ts';
import { on, type Fact } from '../support/facts.ts';
import { givenEvents, officeIs, postingIs, professionalIs, save, saved, toList, unsaved } from './given-events.ts';

const other = { postingId: ids.otherPosting };
const otherPosting = on(
  postingDecider,
  ids.otherPosting,
)({ type: 'PostingRecorded', data: { ...other, ...bodies.posting } });
const otherSaved = toList({ type: 'PostingSaved', data: { ...save, ...other } });
const measured = (roadDistance: number) => {
  const to = { latitude: 30.2672, longitude: -97.7431 };
  return toList({ type: 'CommuteMeasured', data: { ...save, from: homes.near, to, roadDistance, eta: 'PT1H' } });
};
const known = [officeIs(), postingIs(), professionalIs()];

/** The counts within 50, 100, 150 and 200 miles. */
const counts = async (...facts: readonly Fact[]) => {
  const summary = await givenEvents(...facts).shows(savedPostings, savedPostingSummariesCollection, ids.professional);
  if (!summary) return undefined;
  const { within50MilesCount, within100MilesCount, within150MilesCount, within200MilesCount } = summary;
  return [within50MilesCount, within100MilesCount, within150MilesCount, within200MilesCount];
};

describe('The summary of saved postings', () => {
  it('counts a posting within every limit that it is nearer than', async () => {
    const summary = await givenEvents(...known, saved).shows(
      savedPostings,
      savedPostingSummariesCollection,
      ids.professional,
    );
    expect(summary).to.deep.equal({
      within50MilesCount: 1,
      within100MilesCount: 1,
      within150MilesCount: 1,
      within200MilesCount: 1,
    });
  });

  it('counts what is on the list, and no more what was taken off', async () => {
    const both = [...known, otherPosting, saved, otherSaved];
    expect(await counts(...both)).to.deep.equal([2, 2, 2, 2]);
    expect(await counts(...both, unsaved)).to.deep.equal([1, 1, 1, 1]);
  });

  it('counts nowhere what is at an unknown distance, until it is known', async () => {
    expect(await counts(saved)).to.deep.equal([0, 0, 0, 0]);
    expect(await counts(saved, postingIs(), professionalIs())).to.deep.equal([0, 0, 0, 0]);
    expect(await counts(saved, ...known)).to.deep.equal([1, 1, 1, 1]);
    expect(await counts(...known, saved, officeIs({ address: [] }, times.now))).to.deep.equal([0, 0, 0, 0]);
  });

  it('counts anew when the professional moves', async () => {
    const before = [...known, saved];
    expect(await counts(...before, professionalIs(homes.sanAntonio, times.now))).to.deep.equal([0, 1, 1, 1]);
    expect(await counts(...before, professionalIs(homes.dallas, times.now))).to.deep.equal([0, 0, 0, 0]);
  });

  it('goes by the measured distance, the limits included', async () => {
    expect(await counts(...known, saved, measured(50))).to.deep.equal([1, 1, 1, 1]);
    expect(await counts(...known, saved, measured(50.01))).to.deep.equal([0, 1, 1, 1]);
    expect(await counts(...known, saved, measured(50.01), measured(200))).to.deep.equal([0, 0, 0, 1]);
  });

  it('counts anew when the posting goes to another office', async () => {
    const moved = postingIs({ officeId: ids.otherOffice }, times.now);
    expect(await counts(...known, saved, moved)).to.deep.equal([0, 0, 0, 0]);
    expect(await counts(...known, saved, moved, officeIs({}, times.now, ids.otherOffice))).to.deep.equal([1, 1, 1, 1]);
  });
});
