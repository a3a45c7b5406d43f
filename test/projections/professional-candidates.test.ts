import { expect } from 'chai';
import { candidateDetailsOf } from '../../queries/parts/candidate-rows.ts';
import { toProfessionalCandidateRow } from '../../queries/professional-candidates.ts';
import {
  professionalCandidatesCollection,
  professionalCandidates,
  type ProfessionalCandidate,
} from '../../projections/professional-candidates.ts';
import { hired, scheduled, shortlisted } from '../commands/candidates/histories.ts';
import { applied, postingClosed } from '../commands/known.ts';
import { NotBuiltError } from '../../src/read-models/port.ts';
import { bodies, candidateIds, ids, phoneNumbers, times } from '../support/examples.ts';
import type { Fact } from '../support/facts.ts';
import { again, givenEvents, officeIs, phoneSet, postingIs, professionalIs } from './given-events.ts';

const shown = (...facts: readonly Fact[]) =>
  givenEvents(...facts).shows(professionalCandidates, professionalCandidatesCollection, candidateIds.professional);
const rowOf = async (...facts: readonly Fact[]) => {
  const doc = await shown(...facts);
  return doc && toProfessionalCandidateRow({ id: candidateIds.professional, doc });
};
const postingOf = async (...facts: readonly Fact[]) => (await rowOf(...facts))?.postingDetails;
const known = [officeIs(), postingIs(), professionalIs()];

/** What a build of version 2 holds, which is served until that of version 3 is there. */
const ofVersion2 = (doc: ProfessionalCandidate) => {
  const { moves: _moves, ...before } = doc;
  return before;
};

describe('The candidates of a professional', () => {
  it('show the candidate together with posting, office and professional', async () => {
    const row = await rowOf(...known, applied, again(scheduled, { at: times.now }));
    expect(row).to.deep.equal({
      id: candidateIds.professional,
      postingId: ids.posting,
      professionalId: ids.professional,
      professionalName: 'Ann Lee',
      professionalEmail: bodies.professional.email,
      professionalPhone: phoneNumbers.profile,
      resumeId: 'resume-1',
      appliedAt: times.start,
      createdAt: times.start,
      createdBy: ids.user,
      updatedAt: times.now,
      updatedBy: ids.officeUser,
      professionalStatusUpdatedAt: times.now,
      hiringStatus: 'open',
      officeStatus: 'scheduled',
      professionalStatus: 'scheduled',
      onsiteInterviewId: 'interview-1',
      isShortlisted: false,
      postingDetails: {
        id: ids.posting,
        officeId: ids.office,
        officeName: 'Bright Smiles',
        postingTitle: bodies.posting.title,
        professionType: 'hygienist',
        specialty: 'general',
        state: 'TX',
        status: 'open',
        subProfession: 'rdh',
        salaryRange: bodies.posting.salaryRange,
        schedule: bodies.posting.schedule,
      },
    });
  });

  it('show what is told late as if it had been told before', async () => {
    expect(await postingOf(applied)).to.include({ id: ids.posting, officeId: null, status: null });
    expect(await postingOf(applied, postingIs())).to.include({ officeId: ids.office, officeName: null });
    expect(await shown(applied, postingIs(), officeIs(), professionalIs())).to.deep.equal(
      await shown(...known, applied),
    );
  });

  it('show the new name of an office', async () => {
    const renamed = officeIs({ officeName: 'Brighter Smiles' }, times.now);
    expect(await postingOf(...known, applied, renamed)).to.include({ officeName: 'Brighter Smiles' });
  });

  it('show a posting as it was last told, and the office that has it now', async () => {
    const calm = officeIs({ officeName: 'Calm Dental' }, times.now, ids.otherOffice);
    const revised = postingIs({ title: 'Hygienist', officeId: ids.otherOffice }, times.later);
    expect(await postingOf(...known, applied, calm, revised)).to.include({
      postingTitle: 'Hygienist',
      officeId: ids.otherOffice,
      officeName: 'Calm Dental',
    });
  });

  it('are closed with their posting, unless a decision was made before', async () => {
    const closed = again(postingClosed, { at: times.now });
    const open = await rowOf(...known, applied, closed);
    expect(open).to.include({ professionalStatus: 'closed', professionalStatusUpdatedAt: times.now });
    const final = await rowOf(...known, applied, hired, closed);
    expect(final).to.include({ professionalStatus: 'hired', professionalStatusUpdatedAt: times.start });
    expect(final?.postingDetails.status).to.equal('closed');
  });

  it('made before moves were remembered are not built yet for who asks for these', async () => {
    const doc = await shown(...known, applied);
    if (!doc) throw new Error('No candidate is shown');
    expect(() => candidateDetailsOf(ofVersion2(doc))).to.throw(NotBuiltError);
  });

  it('remember each move', async () => {
    const facts = [...known, applied, again(scheduled, { at: times.now }), again(hired, { at: times.later })];
    expect((await shown(...facts))?.moves).to.deep.equal([
      { officeStatus: 'applied', at: times.start },
      { officeStatus: 'scheduled', at: times.now },
      { officeStatus: 'hired', at: times.later },
    ]);
  });

  it('are updated by the shortlist without a new status', async () => {
    const row = await rowOf(...known, applied, again(shortlisted(true), { at: times.now }));
    expect(row).to.include({ isShortlisted: true, updatedAt: times.now, professionalStatusUpdatedAt: times.start });
  });

  it('show a profile without a phone number as it is, but never over a number that the user set', async () => {
    const gone = professionalIs({ phone: null }, times.later);
    const own = phoneSet(phoneNumbers.wanted, times.now);
    expect(await rowOf(...known, applied, gone)).to.include({ professionalPhone: null });
    expect(await rowOf(...known, applied, own, gone)).to.include({ professionalPhone: phoneNumbers.wanted });
  });
});
