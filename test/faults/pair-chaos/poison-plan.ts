import { candidateIdOf } from '../../../src/domain/candidate.ts';
import type { Chance } from '../../support/seeded.ts';
import { faultyText } from './faulty-handlers.ts';
import type { PoisonKind } from './settings.ts';
import type { Actor, WorkPlan, Write } from './work-plan.ts';
import { officeBody, type World } from './world.ts';

/** An operator's request about a stream that is or will be parked. */
export interface Act {
  readonly afterMs: number;
  readonly act: 'retry' | 'skip';
  readonly projection: string;
  readonly by: 'http' | 'cli';
  readonly via: number;
  /** At which moment of the request the projection's lease holder is killed; undefined: it is not. */
  readonly hit?: 'documents' | 'commit';
}

/** An event of the usual work at which a handler fails until it is fixed. */
export interface Faulty {
  readonly token: string;
  readonly projection: string;
  readonly stream: string;
  /** The write that makes the event. Times count from when its stream is parked. */
  readonly write: string;
  /** The time after which a retry succeeds. */
  readonly mendedAfterMs: number;
  readonly acts: readonly Act[];
}

export interface HandMade {
  readonly type: string;
  readonly data: Readonly<Record<string, unknown>>;
  /** Undefined for an event that can be applied. */
  readonly poison?: Exclude<PoisonKind, 'faulty'> | undefined;
}

/** A stream that is written straight into the event log, with poison events that only `skip` gets past. */
export interface Spoiled {
  readonly stream: string;
  /** The projections that apply events of the stream. */
  readonly projections: readonly string[];
  readonly events: readonly HandMade[];
  readonly atMs: number;
  readonly betweenMs: number;
  readonly acts: readonly Act[];
}

export interface PoisonPlan {
  readonly faulty: readonly Faulty[];
  readonly spoiled: readonly Spoiled[];
}

const INSTANCES = 3;
const ACTS_WITHIN_MS = 5_000;
const [SPOILED_SHARE, FAULTY_SHARE] = [0.15, 0.35];

/** The projections that apply events of a type. */
const appliedBy: Readonly<Record<string, readonly string[]>> = {
  PostingRecorded: ['posting-candidates', 'professional-candidates', 'saved-postings'],
  OfficeRecorded: ['professional-candidates', 'saved-postings'],
  ProfessionalRecorded: ['posting-candidates', 'professional-candidates', 'saved-postings', 'professional-profiles'],
  CandidateApplied: ['posting-candidates', 'professional-candidates', 'saved-postings'],
};

const drawAct = (act: Act['act'], projection: string, chance: Chance): Act => ({
  act,
  projection,
  afterMs: 200 + chance.below(ACTS_WITHIN_MS),
  by: chance.isTrue(0.1) ? 'cli' : 'http',
  via: chance.below(INSTANCES),
  ...(chance.isTrue(0.25) && { hit: chance.oneOf(['documents', 'commit']) }),
});

const withText = (write: Write, text: string): Write => {
  const { text: member = '' } = write;
  const put = <T extends Readonly<Record<string, unknown>>>(object: T): T => ({ ...object, [member]: text });
  const marks = write.marks.map((mark) => (member in mark.data ? { ...mark, data: put(mark.data) } : mark));
  return { ...write, body: put(write.body), marks };
};

/**
 * Puts a text at which a projection fails into one write of an actor, whose stream may then be parked: no read-backs.
 */
const infect = ({ setup, actors }: WorkPlan, run: string, number: number, chance: Chance) => {
  const actor = chance.oneOf(actors.filter(({ writes }) => writes.some(({ text }) => text !== undefined)));
  const at = chance.oneOf(actor.writes.flatMap(({ text }, index) => (text === undefined ? [] : [index])));
  const chosen = actor.writes[at];
  const mark = chosen?.marks.at(-1);
  if (!chosen || !mark) throw new Error('A write with a text has a mark');
  const projection = chance.oneOf(appliedBy[mark.type] ?? []);
  const token = `${run}-${number}`;
  const spoil = ({ readBack: _, ...write }: Write, index: number): Write =>
    index === at ? withText(write, faultyText(projection, token)) : write;
  const infected: Actor = { ...actor, writes: actor.writes.map(spoil) };
  const mendedAfterMs = 500 + chance.below(3_000);
  const acts = Array.from({ length: chance.below(4) }, () => drawAct('retry', projection, chance));
  const { name: write } = chosen;
  const faulty: Faulty = { token, projection, stream: mark.stream, write, mendedAfterMs, acts };
  return { work: { setup, actors: actors.map((each) => (each === actor ? infected : each)) }, faulty };
};

const spoiledOffice = (world: World, chance: Chance): Omit<Spoiled, 'atMs' | 'betweenMs' | 'acts'> => {
  const officeId = `${world.run}-spoiled`;
  const told = (number: number): HandMade => ({
    type: 'OfficeRecorded',
    data: { officeId, ...officeBody(`Spoiled ${number}`, chance) },
  });
  return {
    stream: `office-${officeId}`,
    projections: appliedBy['OfficeRecorded'] ?? [],
    events: [told(0), told(1), told(2), told(3), told(4)],
  };
};

const spoiledCandidate = (world: World, chance: Chance): Omit<Spoiled, 'atMs' | 'betweenMs' | 'acts'> => {
  const [postingId, professionalId] = [chance.oneOf(world.postings).id, `${world.run}-spoiled`];
  const candidateId = candidateIdOf(postingId, professionalId);
  const ids = { candidateId, postingId, professionalId };
  const interview = { ...ids, interviewId: `${world.run}-interview` };
  const interviewAt = '2027-02-01T09:00:00.000Z';
  return {
    stream: `candidate-${candidateId}`,
    projections: appliedBy['CandidateApplied'] ?? [],
    events: [
      { type: 'CandidateApplied', data: { ...ids, resumeId: 'resume' } },
      { type: 'InterviewScheduled', data: { ...interview, interviewAt } },
      { type: 'CandidateShortlistChanged', data: { ...ids, isShortlisted: true } },
      { type: 'InterviewHeld', data: interview },
      { type: 'CandidateHired', data: ids },
    ],
  };
};

const drawSpoiled = (world: World, kinds: readonly Exclude<PoisonKind, 'faulty'>[], chance: Chance): Spoiled => {
  const stream = chance.oneOf([spoiledOffice, spoiledCandidate])(world, chance);
  // Not the first event, so that the stream has documents; not the last, so that another event waits behind it.
  const bad = new Set(Array.from({ length: 1 + chance.below(2) }, () => 1 + chance.below(3)));
  const poison = chance.oneOf(kinds);
  const acts = stream.projections.flatMap((projection) =>
    Array.from({ length: chance.below(4) }, () => drawAct(chance.oneOf(['retry', 'skip', 'skip']), projection, chance)),
  );
  return {
    ...stream,
    events: stream.events.map((event, index) => (bad.has(index) ? { ...event, poison } : event)),
    atMs: chance.below(3_000),
    betweenMs: chance.oneOf([0, 50, 700]),
    acts,
  };
};

/** Draws a run's poison events; gives the work with the changed writes. */
export const drawPoison = (
  world: World,
  work: WorkPlan,
  kinds: readonly PoisonKind[],
  chance: Chance,
): { readonly work: WorkPlan; readonly poison: PoisonPlan } => {
  const lasting = kinds.filter((kind) => kind !== 'faulty');
  // Both are drawn even where the settings forbid a kind, so that the rest of the run does not depend on the settings.
  const [isSpoiled, isFaulty] = [chance.isTrue(SPOILED_SHARE), chance.isTrue(FAULTY_SHARE)];
  const spoiled = isSpoiled && lasting.length > 0 ? [drawSpoiled(world, lasting, chance)] : [];
  if (!isFaulty || !kinds.includes('faulty')) return { work, poison: { faulty: [], spoiled } };
  const faulty: Faulty[] = [];
  let changed = work;
  for (let number = 0; number < 1 + chance.below(3); number++) {
    const infected = infect(changed, world.run, number, chance);
    changed = infected.work;
    faulty.push(infected.faulty);
  }
  return { work: changed, poison: { faulty, spoiled } };
};
