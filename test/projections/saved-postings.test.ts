import { expect } from 'chai';
import {
  savedPostingsCollection,
  savedPostingIdOf,
  lastUnsavesCollection,
  savedPostings,
} from '../../projections/saved-postings.ts';
import { scheduled } from '../commands/candidates/histories.ts';
import { applied, postingClosed } from '../commands/known.ts';
import { bodies, homes, ids, times } from '../support/examples.ts';
import type { Fact } from '../support/facts.ts';
import {
  again,
  givenEvents,
  officeIs,
  postingIs,
  professionalIs,
  save,
  saved,
  toList,
  unsaved,
} from './given-events.ts';

const shown = (...facts: readonly Fact[]) =>
  givenEvents(...facts).shows(savedPostings, savedPostingsCollection, savedPostingIdOf(save));
const known = [officeIs(), postingIs(), professionalIs()];
const bright = { latitude: 30.2672, longitude: -97.7431 };
const measured = toList(
  { type: 'CommuteMeasured', data: { ...save, from: homes.near, to: bright, roadDistance: 20.5, eta: 'PT31M' } },
  { at: times.now },
);
const estimate = { distance: 17.09, roadDistance: 22.22, eta: 'PT33M' };

describe('The saved postings of a professional', () => {
  it('show posting, office, commute and own candidate', async () => {
    const { officeId: _office, state: _state, ...facts } = bodies.posting;
    const doc = await shown(...known, saved, applied, again(scheduled, { at: times.now }));
    expect(doc?.row).to.deep.equal({
      ...facts,
      id: ids.posting,
      candidateStatus: 'scheduled',
      candidateStatusUpdatedAt: times.now,
      createdAt: times.start,
      publishedAt: times.start,
      isSaved: true,
      onsiteInterviewsCount: 1,
      commute: { drive: estimate },
      offerOwner: { id: ids.office, ...bodies.office },
    });
    expect(doc).to.include({ savedAt: times.start, asOf: times.now });
  });

  it('have nulls and empty lists for what is not known yet', async () => {
    const doc = await shown(saved);
    expect(doc?.row).to.include({ id: ids.posting, title: null, candidateStatus: null, createdAt: null });
    expect(doc?.row.procedures).to.deep.equal([]);
    expect(doc?.row.commute.drive).to.deep.equal({ distance: null, eta: null, roadDistance: null });
    expect(doc?.row.offerOwner).to.deep.equal({ id: null, officeName: null, address: [], officeInfo: null });
  });

  it('show what is told late as if it had been told before', async () => {
    expect(await shown(saved, applied, ...known)).to.deep.equal(await shown(...known, applied, saved));
  });

  it('show a measured commute until a place changes', async () => {
    const before = [...known, saved, measured];
    const still = await shown(...before);
    expect(still?.row.commute.drive).to.deep.equal({ distance: 17.09, roadDistance: 20.5, eta: 'PT31M' });
    expect(still).to.include({ unmeasured: null, isUnmeasured: 0 });
    const moved = await shown(...before, professionalIs(homes.sanAntonio, times.later));
    expect(moved?.unmeasured).to.deep.equal({ from: homes.sanAntonio, to: bright });
    expect(moved?.row.commute.drive.roadDistance).to.be.within(90, 100);
  });

  it('are as of the last event that they show, a new name of the professional not among them', async () => {
    const before = [...known, saved];
    const asOf = async (fact: Fact) => (await shown(...before, fact))?.asOf;
    expect(await asOf(measured)).to.equal(times.now);
    expect(await asOf(officeIs({ officeName: 'Brighter Smiles' }, times.later))).to.equal(times.later);
    expect(await asOf(again(postingClosed, { at: times.later }))).to.equal(times.later);
    expect(await asOf(professionalIs(homes.dallas, times.later))).to.equal(times.later);
    expect(await asOf(professionalIs({ lastName: 'Moss' }, times.later))).to.equal(times.start);
  });

  it('stay when the posting closes and is told anew, closed and of the same age', async () => {
    const closed = again(postingClosed, { at: times.now });
    const revised = postingIs({ title: 'Hygienist' }, times.later);
    const doc = await shown(...known, saved, applied, closed, revised);
    expect(doc?.row).to.include({ title: 'Hygienist', createdAt: times.start, publishedAt: times.start });
    expect(doc?.row).to.include({ candidateStatus: 'closed', candidateStatusUpdatedAt: times.now });
  });

  it('leave behind when one was taken off the list, and come back with all that is known', async () => {
    const before = [...known, applied, saved, unsaved];
    expect(await shown(...before)).to.equal(undefined);
    const list = await givenEvents(...before).shows(savedPostings, lastUnsavesCollection, ids.professional);
    expect(list).to.deep.equal({ changedAt: times.later });
    const back = again(saved, { at: times.later });
    expect(await shown(...before, back)).to.deep.equal(await shown(...known, applied, back));
  });
});
