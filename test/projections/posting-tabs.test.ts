import { expect } from 'chai';
import { postingTabsCollection } from '../../projections/parts/posting-tabs.ts';
import { postingCandidates } from '../../projections/posting-candidates.ts';
import { candidateDecider } from '../../src/domain/candidate.ts';
import { cancelled, historyOf, moved, scheduled, shortlisted } from '../commands/candidates/histories.ts';
import { applied, candidateFacts, postingClosed } from '../commands/known.ts';
import { bodies, candidateIds, ids } from '../support/examples.ts';
import { on, type Fact } from '../support/facts.ts';
import { givenEvents, postingIs } from './given-events.ts';

const none = { applied: 0, scheduled: 0, interviewed: 0, hired: 0, rejected: 0 };
const otherApplied = on(
  candidateDecider,
  candidateIds.otherProfessional,
)({
  type: 'CandidateApplied',
  data: {
    ...candidateFacts,
    ...bodies.application,
    candidateId: candidateIds.otherProfessional,
    professionalId: ids.otherProfessional,
  },
});
const shown = (...facts: readonly Fact[]) =>
  givenEvents(...facts).shows(postingCandidates, postingTabsCollection, ids.posting);

describe('The tabs of a posting', () => {
  it('are empty before the first application', async () => {
    expect(await shown(postingIs())).to.deep.equal({ officeId: ids.office, counts: none });
  });

  it('count every candidate', async () => {
    const tabs = await shown(postingIs(), applied, otherApplied, scheduled);
    expect(tabs?.counts).to.deep.equal({ ...none, applied: 1, scheduled: 1 });
  });

  it('count a candidate in the last tab alone, whatever the way there', async () => {
    expect((await shown(...historyOf.hired))?.counts).to.deep.equal({ ...none, hired: 1 });
    expect((await shown(...historyOf.rejected))?.counts).to.deep.equal({ ...none, rejected: 1 });
    expect((await shown(applied, scheduled, cancelled))?.counts).to.deep.equal({ ...none, applied: 1 });
  });

  it('do not move with an interview or with the shortlist', async () => {
    const tabs = await shown(applied, scheduled, moved, shortlisted(true));
    expect(tabs?.counts).to.deep.equal({ ...none, scheduled: 1 });
  });

  it('count candidates of a posting that is not known yet', async () => {
    expect(await shown(applied)).to.deep.equal({ officeId: null, counts: { ...none, applied: 1 } });
    expect(await shown(applied, postingIs())).to.deep.equal(await shown(postingIs(), applied));
  });

  it('stay when the posting goes to another office and closes', async () => {
    const tabs = await shown(postingIs(), applied, postingIs({ officeId: ids.otherOffice }), postingClosed);
    expect(tabs).to.deep.equal({ officeId: ids.otherOffice, counts: { ...none, applied: 1 } });
  });
});
