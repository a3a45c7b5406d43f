import { expect } from 'chai';
import { candidateDecider, applyPostingClosing, type Candidate } from '../../../src/domain/candidate.ts';
import { createDecoder } from '../../../src/streams/decode.ts';
import { START_POSITION } from '../../../src/event-store/port.ts';
import { ids, times } from '../../support/examples.ts';
import { storeWith, type Fact } from '../../support/facts.ts';
import { applied, candidateFacts, toCandidate } from '../known.ts';
import { cancelled, held, hired, moved, rejected, scheduled, shortlisted } from './histories.ts';

const decode = createDecoder(candidateDecider.events);

const after = async (...facts: readonly Fact[]): Promise<Candidate> => {
  const store = await storeWith(facts);
  const recorded = await store.readAll(START_POSITION, 100);
  const state = recorded.reduce<Candidate | null>((before, event) => {
    const known = decode(event);
    return known ? candidateDecider.evolve(before, known) : before;
  }, candidateDecider.initialState);
  return state ?? expect.fail('No professional applied');
};

const laterAt = (fact: Fact, at: string): Fact => ({ ...fact, at });
const statusesOf = ({ hiringStatus, officeStatus, professionalStatus }: Candidate) => [
  hiringStatus,
  officeStatus,
  professionalStatus,
];
const heldAtOnce = toCandidate({ type: 'InterviewHeld', data: { ...candidateFacts, interviewId: 'interview-1' } });
const closing = { recordedAt: times.now, actor: 'key:back-office' };

/** The table of the decisions, Candidate states: each state, and the events that lead to it. */
const table: readonly (readonly [string, readonly Fact[], readonly string[]])[] = [
  ['applied', [applied], ['open', 'applied', 'applied']],
  ['scheduled', [applied, scheduled], ['open', 'scheduled', 'scheduled']],
  ['scheduled at another time', [applied, scheduled, moved], ['open', 'scheduled', 'scheduled']],
  ['cancelled', [applied, scheduled, cancelled], ['open', 'applied', 'applied']],
  ['interviewed', [applied, scheduled, held], ['open', 'interviewed', 'interviewed']],
  ['interviewed at once', [applied, heldAtOnce], ['open', 'interviewed', 'interviewed']],
  ['hired', [applied, hired], ['hired', 'hired', 'hired']],
  ['rejected', [applied, rejected], ['rejected', 'rejected', 'closed']],
];

describe('the states of a candidate', () => {
  for (const [name, facts, expected] of table) {
    it(`are ${expected.join(', ')} once ${name}`, async () => {
      expect(statusesOf(await after(...facts))).to.deep.equal(expected);
    });

    const [hiring, office, own] = expected;
    const closed = hiring === 'open' ? ['closed', office, 'closed'] : [hiring, office, own];
    it(`are ${closed.join(', ')} once ${name} and the posting closed`, async () => {
      expect(statusesOf(applyPostingClosing(await after(...facts), closing))).to.deep.equal(closed);
    });
  }

  it('are left as they are by the shortlist', async () => {
    const state = await after(applied, scheduled, shortlisted(true));
    expect([...statusesOf(state), state.isShortlisted]).to.deep.equal(['open', 'scheduled', 'scheduled', true]);
  });
});

describe('the interview of a candidate', () => {
  const examples: readonly (readonly [string, readonly Fact[], string | null, number])[] = [
    ['there is none before it is scheduled', [applied], null, 0],
    ['it is the scheduled one', [applied, scheduled], 'interview-1', 1],
    ['it is the same one when moved', [applied, scheduled, moved], 'interview-1', 1],
    ['there is none after a cancellation', [applied, scheduled, cancelled], null, 0],
    ['it stays when held', [applied, scheduled, held], 'interview-1', 1],
    ['it is one when held at once', [applied, heldAtOnce], 'interview-1', 1],
    ['it stays through the hiring', [applied, scheduled, held, hired], 'interview-1', 1],
    ['it stays through the rejection', [applied, scheduled, rejected], 'interview-1', 1],
    ['it counts again after one was held', [applied, heldAtOnce, scheduled], 'interview-1', 2],
    ['the held one counts on when the next is cancelled', [applied, heldAtOnce, scheduled, cancelled], null, 1],
  ];
  for (const [name, facts, id, count] of examples)
    it(name, async () => {
      const { interview, interviewsCount } = await after(...facts);
      expect([interview?.id ?? null, interviewsCount]).to.deep.equal([id, count]);
    });

  it("stays through the posting's closing", async () => {
    const { interview } = applyPostingClosing(await after(applied, scheduled), closing);
    expect(interview).to.deep.equal({ id: 'interview-1', at: times.interview });
  });
});

describe('the times of a candidate', () => {
  const timesOf = ({ appliedAt, createdBy, updatedAt, updatedBy, professionalStatusUpdatedAt }: Candidate) => ({
    appliedAt,
    createdBy,
    updatedAt,
    updatedBy,
    professionalStatusUpdatedAt,
  });
  const asApplied = {
    appliedAt: times.start,
    createdBy: ids.user,
    updatedAt: times.start,
    updatedBy: ids.user,
    professionalStatusUpdatedAt: times.start,
  };
  const byOffice = { updatedAt: times.now, updatedBy: ids.officeUser };

  it("are the application's at first", async () => {
    expect(timesOf(await after(applied))).to.deep.equal(asApplied);
  });

  it('move with a move', async () => {
    const state = await after(applied, laterAt(scheduled, times.now));
    expect(timesOf(state)).to.deep.equal({ ...asApplied, ...byOffice, professionalStatusUpdatedAt: times.now });
  });

  for (const [name, facts] of [
    ['the shortlist', [applied, laterAt(shortlisted(true), times.now)]],
    ["an interview's new time", [applied, scheduled, laterAt(moved, times.now)]],
  ] as const)
    it(`leave the professional's status where it is with ${name}`, async () => {
      expect(timesOf(await after(...facts))).to.deep.equal({ ...asApplied, ...byOffice });
    });

  it('move with the closing of an open one', async () => {
    const { recordedAt: updatedAt, actor: updatedBy } = closing;
    const state = applyPostingClosing(await after(applied), closing);
    expect(timesOf(state)).to.deep.equal({
      ...asApplied,
      updatedAt,
      updatedBy,
      professionalStatusUpdatedAt: updatedAt,
    });
  });

  it('stay with the closing of one that is final', async () => {
    const state = await after(applied, hired);
    expect(timesOf(applyPostingClosing(state, closing))).to.deep.equal(timesOf(state));
  });

  it("keep the candidate's own event when it came after the closing", async () => {
    const state = applyPostingClosing(await after(applied, laterAt(shortlisted(true), times.interview)), closing);
    expect(timesOf(state)).to.deep.equal({
      ...asApplied,
      updatedAt: times.interview,
      updatedBy: ids.officeUser,
      professionalStatusUpdatedAt: times.now,
    });
  });
});
