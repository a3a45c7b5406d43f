import { expect } from 'chai';
import { auditDecider } from '../../../src/streams/audit.ts';
import { candidateDecider } from '../../../src/domain/candidate.ts';
import { phoneCodeRequestDecider } from '../../../src/domain/phone-code-requests.ts';
import { postingDecider } from '../../../src/domain/posting.ts';
import { professionalDecider } from '../../../src/domain/professional.ts';
import { savedPostingsDecider } from '../../../src/domain/saved-postings.ts';
import { userDecider } from '../../../src/domain/user.ts';
import { readPersonEvents } from '../../../src/history/moment/person-events.ts';
import { createMomentFinder } from '../../../src/history/moment/moment.ts';
import { bodies } from '../../support/examples.ts';
import { on, storeWith, type Fact } from '../../support/facts.ts';
import { messageOf } from '../../support/refusal-of.ts';

const profile = (professionalId: string, userId: string): Fact =>
  on(
    professionalDecider,
    professionalId,
  )({ type: 'ProfessionalRecorded', data: { professionalId, ...bodies.professional, userId } });
const act = (actId: string, parameters: Readonly<Record<string, string>>): Fact =>
  on(auditDecider, '2026-03-02')(
    {
      type: 'OperatorActed',
      data: {
        ...{ day: '2026-03-02', actId, operation: 'personal-data', parameters },
        ...{ phase: 'requested', detail: null },
      },
    },
    { by: 'os:ada' },
  );
const applied = (candidateId: string, professionalId: string): Fact =>
  on(
    candidateDecider,
    candidateId,
  )({ type: 'CandidateApplied', data: { candidateId, postingId: 'p1', professionalId, resumeId: 'r1' } });

/** What is of Ann, whose profile has named another user before. */
const ofAnn: readonly Fact[] = [
  profile('ann', 'u0'),
  on(userDecider, 'u1')({ type: 'UserNamedByProfessional', data: { userId: 'u1', professionalId: 'ann' } }),
  profile('ann', 'u1'),
  on(phoneCodeRequestDecider, 'hash')(
    { type: 'CodeRequested', data: { numberHash: 'hash', codeId: 'code-1' } },
    { by: 'u1' },
  ),
  on(userDecider, 'u1')(
    {
      type: 'CodeIssued',
      data: {
        ...{ userId: 'u1', codeId: 'code-1', channel: 'sms', destination: '+15125550123' },
        ...{ codeHash: 'h', expiresAt: '2026-03-02T10:00:00.000Z' },
      },
    },
    { by: 'u1' },
  ),
  on(savedPostingsDecider, 'ann')({ type: 'PostingSaved', data: { professionalId: 'ann', postingId: 'p1' } }),
  applied('c1', 'ann'),
  act('act-1', { command: 'history show', kind: 'professional', id: 'ann', reason: 'a call' }),
  act('act-2', { command: 'history sql', of: "FROM ProfessionalRecorded WHERE userId = 'u1'" }),
];
const ofOthers: readonly Fact[] = [
  on(postingDecider, 'p1')({ type: 'PostingRecorded', data: { postingId: 'p1', ...bodies.posting, officeId: 'o1' } }),
  profile('bob', 'u2'),
  applied('c2', 'bob'),
  on(phoneCodeRequestDecider, 'hash')(
    { type: 'CodeRequested', data: { numberHash: 'hash', codeId: 'code-2' } },
    { by: 'u2' },
  ),
  act('act-3', { command: 'history show', kind: 'professional', id: 'annabel', reason: 'a call' }),
  // A user of an office, whose id is that of a professional.
  on(userDecider, 'bob')({ type: 'UserNamedByProfessional', data: { userId: 'bob', professionalId: 'eve' } }),
  profile('eve', 'bob'),
];
/** Of both, one after the other. */
const world = ofOthers.flatMap((fact, index) => [fact, ...(ofAnn[index] ? [ofAnn[index]] : [])]);
const all = [...world, ...ofAnn.slice(ofOthers.length)];

describe('All that is held of a person', () => {
  const { signal } = new AbortController();
  const heldOf = async (id: string) => {
    const log = await storeWith(all);
    return readPersonEvents(log, id, await createMomentFinder(log)({}), signal);
  };
  const factsOf = (groups: Awaited<ReturnType<typeof heldOf>>['groups']) =>
    groups.flatMap(({ events }) => events.map(({ stream, type, data }) => ({ stream, type, data })));

  for (const id of ['ann', 'u1', 'professional:ann', 'user:u1'])
    it(`is every event that names the professional or the user: asked by ${id}`, async () => {
      const { professionals, users, groups } = await heldOf(id);
      expect({ professionals, users }).to.deep.equal({ professionals: ['ann'], users: ['u1'] });
      expect(factsOf(groups)).to.have.deep.members(ofAnn.map(({ stream, type, data }) => ({ stream, type, data })));
    });

  it('is in groups by stream, those of the person first', async () => {
    const { groups } = await heldOf('ann');
    expect(groups.map(({ stream }) => stream)).to.deep.equal([
      'professional-ann',
      'savedPostings-ann',
      'user-u1',
      'phone-hash',
      'candidate-c1',
      'audit-2026-03-02',
    ]);
  });

  it('is asked for by the kind where an id is of two persons', async () => {
    expect(await messageOf(heldOf('bob'))).to.equal(
      'bob is a professional, and another person is the user of that id; allowed: professional:bob, user:bob',
    );
    expect((await heldOf('professional:bob')).users).to.deep.equal(['u2']);
    expect((await heldOf('user:bob')).professionals).to.deep.equal(['eve']);
  });

  it('is an error where there is nothing, whoever has asked before', async () => {
    for (const id of ['annabel', 'user:ann'])
      expect(await messageOf(heldOf(id))).to.match(/^No event up to the position \S+ names the person /);
  });
});
