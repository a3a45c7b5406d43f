import { candidateIdOf } from '../../../src/domain/candidate.ts';
import { bodies } from '../../support/examples.ts';
import type { Chance } from '../../support/seeded.ts';
import {
  adminClaims,
  claimsOf,
  officeBody,
  postingBody,
  professionalBody,
  userOf,
  type Claims,
  type World,
} from './world.ts';

/** The event that a write leaves in a stream: its type, and some members of its data. */
export interface Mark {
  readonly stream: string;
  readonly type: string;
  readonly data: Readonly<Record<string, unknown>>;
}

/** What a read that carries the token of a write must show. */
export type Shown =
  | { readonly kind: 'saved'; readonly professional: string; readonly posting: string; readonly isSaved: boolean }
  | { readonly kind: 'status'; readonly professional: string; readonly candidate: string; readonly status: string };

/** A request that changes something, sent until it is acknowledged. */
export interface Write {
  /** Also its Idempotency-Key. */
  readonly name: string;
  readonly method: 'PUT' | 'POST' | 'PATCH';
  readonly path: string;
  readonly as?: Claims;
  readonly body: Readonly<Record<string, unknown>>;
  readonly marks: readonly Mark[];
  /** The member of the body, and of the event, that can carry an additional text. */
  readonly text?: string;
  readonly pauseMs: number;
  /** The instance that is asked first. */
  readonly via: number;
  /** Whether the next instance is asked at the same time. */
  readonly isTwice: boolean;
  readonly readBack?: { readonly via: number; readonly shown: Shown };
}

/** A sequence of writes. One actor makes all writes of a stream, so that their order is known. */
export interface Actor {
  readonly name: string;
  readonly writes: readonly Write[];
  /** Whether a posting may close before its writes, which are then refused. */
  readonly mayBeRefused: boolean;
}

export interface WorkPlan {
  /** The writes that all other work needs. */
  readonly setup: readonly Actor[];
  readonly actors: readonly Actor[];
}

const INSTANCES = 3;
const LASTS_MS = 6_500;
const DAY_MS = 86_400_000;
const FIRST_INTERVIEW = Date.parse('2027-01-04T09:00:00.000Z');

type Draft = Pick<Write, 'method' | 'path' | 'body' | 'marks'> & Partial<Write>;

/** The allowed moves of a candidate by status. */
const moves: Readonly<Record<string, readonly string[]>> = {
  applied: ['scheduled', 'interviewed', 'hired', 'rejected'],
  scheduled: ['scheduled', 'applied', 'interviewed', 'hired', 'rejected'],
  interviewed: ['scheduled', 'hired', 'rejected'],
};

const typeOfMove = (from: string, to: string): string => {
  if (to === 'scheduled') return from === 'scheduled' ? 'InterviewMoved' : 'InterviewScheduled';
  if (to === 'applied') return 'InterviewCancelled';
  if (to === 'interviewed') return 'InterviewHeld';
  return to === 'hired' ? 'CandidateHired' : 'CandidateRejected';
};

export const drawWork = (world: World, chance: Chance): WorkPlan => {
  const { offices, postings, professionals } = world;
  const closing = new Set(postings.filter(() => chance.isTrue(0.3)).map(({ id }) => id));

  const actor = (name: string, drafts: readonly Draft[], mayBeRefused = false): Actor => ({
    name,
    mayBeRefused,
    writes: drafts.map((draft, number) => ({
      name: `${name}.${number}`,
      pauseMs: chance.below((2 * LASTS_MS) / (drafts.length + 1)),
      via: chance.below(INSTANCES),
      isTwice: chance.isTrue(0.15),
      ...draft,
    })),
  });

  const recordOffice = (id: string, number: number): Draft => {
    const body = officeBody(`Office ${number}`, chance);
    const mark = { stream: `office-${id}`, type: 'OfficeRecorded', data: { officeName: body.officeName } };
    return { method: 'PUT', path: `/internal/offices/${id}`, body, marks: [mark], text: 'officeName' };
  };
  const recordPosting = ({ id, office }: World['postings'][number], number: number): Draft => {
    const body = postingBody(`Hygienist ${number}`, office);
    const mark = { stream: `posting-${id}`, type: 'PostingRecorded', data: { title: body.title } };
    return { method: 'PUT', path: `/internal/postings/${id}`, body, marks: [mark], text: 'title' };
  };
  const closePosting = (id: string): Draft => ({
    method: 'POST',
    path: `/internal/postings/${id}/close`,
    body: {},
    marks: [{ stream: `posting-${id}`, type: 'PostingClosed', data: {} }],
  });
  const recordProfessional = (id: string, number: number): Draft => {
    const body = professionalBody(id, `Lee ${number}`, chance);
    const mark = { stream: `professional-${id}`, type: 'ProfessionalRecorded', data: { lastName: body.lastName } };
    const named = { stream: `user-${userOf(id)}`, type: 'UserNamedByProfessional', data: {} };
    const marks = number === 0 ? [named, mark] : [mark];
    return { method: 'PUT', path: `/internal/professionals/${id}`, body, marks, text: 'lastName' };
  };

  const saves = (professional: string): Draft[] => {
    const saved = new Set<string>();
    return Array.from({ length: 3 + chance.below(5) }, (): Draft => {
      const { id: posting } = chance.oneOf(postings);
      const isSaved = !saved.has(posting);
      if (isSaved) saved.add(posting);
      else saved.delete(posting);
      const mark = {
        stream: `savedPostings-${professional}`,
        type: isSaved ? 'PostingSaved' : 'PostingUnsaved',
        data: { postingId: posting },
      };
      const shown: Shown = { kind: 'saved', professional, posting, isSaved };
      return {
        method: 'POST',
        path: `/professionals/postings/${isSaved ? 'save' : 'unsave'}`,
        as: claimsOf(professional),
        body: { postingId: posting },
        marks: [mark],
        ...(chance.isTrue(0.5) && { readBack: { via: chance.below(INSTANCES), shown } }),
      };
    });
  };

  const candidacy = (posting: string, professional: string): Draft[] => {
    const candidate = candidateIdOf(posting, professional);
    const stream = `candidate-${candidate}`;
    const drafts: Draft[] = [
      {
        method: 'POST',
        path: `/postings/${posting}/candidates`,
        as: claimsOf(professional),
        body: { ...bodies.application },
        marks: [{ stream, type: 'CandidateApplied', data: { ...bodies.application } }],
        text: 'resumeId',
      },
    ];
    let [status, isShortlisted] = ['applied', false];
    for (let left = chance.below(6); left > 0; left--) {
      const next = moves[status];
      if (!next || chance.isTrue(0.25)) {
        isShortlisted = !isShortlisted;
        const mark = { stream, type: 'CandidateShortlistChanged', data: { isShortlisted } };
        drafts.push(change({ isShortlisted }, mark));
        continue;
      }
      const to = chance.oneOf(next);
      const interviewAt = new Date(FIRST_INTERVIEW + drafts.length * DAY_MS).toISOString();
      const at = to === 'scheduled' ? { interviewAt } : {};
      const mark = { stream, type: typeOfMove(status, to), data: at };
      const shown: Shown = { kind: 'status', professional, candidate, status: to };
      const readBack = !closing.has(posting) && to !== 'rejected' && chance.isTrue(0.5);
      drafts.push({
        ...change({ officeStatus: to, ...at }, mark),
        ...(readBack && { readBack: { via: chance.below(INSTANCES), shown } }),
      });
      status = to;
    }
    return drafts;

    function change(body: Draft['body'], mark: Mark): Draft {
      const path = `/postings/${posting}/candidates/${candidate}`;
      return { method: 'PATCH', path, as: adminClaims, body, marks: [mark] };
    }
  };

  const revisions = (least: number, most: number) =>
    Array.from({ length: least + chance.below(most - least + 1) }, (_, index) => index + 1);
  const pairs = professionals.flatMap((professional) =>
    postings.filter(() => chance.isTrue(0.6)).map(({ id }) => [id, professional] as const),
  );
  return {
    setup: [
      ...offices.map((id) => actor(`${id}.first`, [recordOffice(id, 0)])),
      ...postings.map((posting) => actor(`${posting.id}.first`, [recordPosting(posting, 0)])),
      ...professionals.map((id) => actor(`${id}.first`, [recordProfessional(id, 0)])),
    ].map((first) => ({ ...first, writes: first.writes.map((write) => ({ ...write, pauseMs: 0 })) })),
    actors: [
      ...offices.map((id) =>
        actor(
          id,
          revisions(1, 4).map((number) => recordOffice(id, number)),
        ),
      ),
      ...postings.map((posting) =>
        actor(posting.id, [
          ...revisions(2, 5).map((number) => recordPosting(posting, number)),
          ...(closing.has(posting.id) ? [closePosting(posting.id)] : []),
        ]),
      ),
      ...professionals.map((id) =>
        actor(
          id,
          revisions(1, 4).map((number) => recordProfessional(id, number)),
        ),
      ),
      ...professionals.map((id) => actor(`${id}.saves`, saves(id))),
      ...pairs.map(([posting, professional]) =>
        actor(`${posting}.${professional}`, candidacy(posting, professional), closing.has(posting)),
      ),
    ],
  };
};
