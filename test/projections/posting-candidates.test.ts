import { expect } from 'chai';
import { toAdminPostingCandidateRow as adminRow } from '../../queries/admin-posting-candidates.ts';
import { toPostingCandidateRow as officeRow } from '../../queries/posting-candidates.ts';
import { postingCandidatesCollection, postingCandidates } from '../../projections/posting-candidates.ts';
import { cancelled, historyOf, hired, moved, scheduled, shortlisted } from '../commands/candidates/histories.ts';
import { applied, postingClosed } from '../commands/known.ts';
import { bodies, candidateIds, ids, phoneNumbers, times } from '../support/examples.ts';
import type { Fact } from '../support/facts.ts';
import { again, givenEvents, phoneSet, postingIs, professionalIs } from './given-events.ts';

const shown = (...facts: readonly Fact[]) =>
  givenEvents(...facts).shows(postingCandidates, postingCandidatesCollection, candidateIds.professional);
const rowOf = async (...facts: readonly Fact[]) => {
  const doc = await shown(...facts);
  const stored = doc && { id: candidateIds.professional, doc, position: '1' };
  return stored && { ...officeRow(stored), ...adminRow(stored) };
};

describe('The candidates of a posting', () => {
  it('show the candidate together with the professional', async () => {
    const row = await rowOf(postingIs(), professionalIs(), applied, again(scheduled, { at: times.now }));
    expect(row).to.deep.equal({
      id: candidateIds.professional,
      postingId: ids.posting,
      appliedAt: times.start,
      createdAt: times.start,
      createdBy: ids.user,
      updatedAt: times.now,
      updatedBy: ids.officeUser,
      hiringStatus: 'open',
      officeStatus: 'scheduled',
      isShortlisted: false,
      onsiteInterviewId: 'interview-1',
      professionalId: ids.professional,
      professionalName: 'Ann Lee',
      professionalEmail: bodies.professional.email,
      professionalPhone: phoneNumbers.profile,
      professionalPicture: bodies.professional.picture,
      professionalStatus: 'scheduled',
      yearsOfExperience: 7,
    });
  });

  it('are sorted by the places of their statuses in the life cycle', async () => {
    expect(await shown(...historyOf.hired, shortlisted(true))).to.include({
      officeStatus: 'hired',
      officeRank: 3,
      hiringRank: 1,
      professionalRank: 3,
      hired: 1,
      shortlisted: 1,
    });
  });

  it('remember each move, which moving an interview and the shortlist are not', async () => {
    const facts = [applied, again(scheduled, { at: times.now }), moved, shortlisted(true)];
    const called = again(cancelled, { at: times.later });
    expect((await shown(...facts, called, postingClosed))?.moves).to.deep.equal([
      { officeStatus: 'applied', at: times.start },
      { officeStatus: 'scheduled', at: times.now },
      { officeStatus: 'applied', at: times.later },
    ]);
  });

  it('have no name until the professional is known', async () => {
    expect(await shown(applied)).to.include({ professionalName: null });
    expect(await shown(applied, professionalIs())).to.deep.equal(await shown(professionalIs(), applied));
  });

  it('take a new name of the professional without being updated', async () => {
    const row = await rowOf(professionalIs(), applied, professionalIs({ lastName: 'Moss' }, times.now));
    expect(row).to.include({ professionalName: 'Ann Moss', updatedAt: times.start, updatedBy: ids.user });
  });

  it('show the newest phone number, of which an unchanged profile is none', async () => {
    const before = [applied, professionalIs(), phoneSet(phoneNumbers.wanted, times.now)];
    const unchanged = professionalIs({ lastName: 'Moss' }, times.later);
    const changed = professionalIs({ phone: phoneNumbers.other }, times.later);
    expect(await rowOf(...before, unchanged)).to.include({ professionalPhone: phoneNumbers.wanted });
    expect(await rowOf(...before, changed)).to.include({ professionalPhone: phoneNumbers.other });
  });

  it("show the user's own number when the profile's came at the same millisecond", async () => {
    const own = phoneSet(phoneNumbers.wanted, times.now);
    const profile = professionalIs({ phone: phoneNumbers.other }, times.now);
    expect(await rowOf(applied, own, profile)).to.include({ professionalPhone: phoneNumbers.wanted });
    expect(await rowOf(applied, profile, own)).to.include({ professionalPhone: phoneNumbers.wanted });
  });

  it('are closed with the posting while they are open', async () => {
    const closed = again(postingClosed, { at: times.now });
    const row = await rowOf(postingIs(), applied, closed);
    expect(row).to.include({ hiringStatus: 'closed', officeStatus: 'applied', professionalStatus: 'closed' });
    expect(row).to.include({ updatedAt: times.now, updatedBy: 'key:back-office' });
  });

  it('keep their own last change where it is later than the closing', async () => {
    const closed = again(postingClosed, { at: times.now });
    const row = await rowOf(postingIs(), applied, closed, again(shortlisted(true), { at: times.later }));
    expect(row).to.include({ hiringStatus: 'closed', updatedAt: times.later, updatedBy: ids.officeUser });
  });

  it('stay as they are when the posting closes after the last decision', async () => {
    const before = [postingIs(), applied, hired];
    expect(await rowOf(...before, again(postingClosed, { at: times.now }))).to.deep.equal(await rowOf(...before));
  });
});
