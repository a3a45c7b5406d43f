import { ids, times } from '../support/examples.ts';
import type { Row } from './answer-rules.ts';
import type { Service } from '../support/service.ts';
import { apply, change, putProfessional } from './stories.ts';

/** A posting's candidates in every state, with ties in every order. */
interface Candidate {
  readonly firstName: string;
  readonly lastName: string;
  readonly isShortlisted?: true;
  readonly moves?: readonly string[];
}

/** In groups that apply at the same time. */
const groups: readonly (readonly Candidate[])[] = [
  [
    { firstName: 'Ann', lastName: 'Lee' },
    { firstName: 'Bob', lastName: 'Lee', isShortlisted: true },
    { firstName: 'Ann', lastName: 'Lee', moves: ['scheduled'] },
  ],
  [
    { firstName: 'Cléo', lastName: "O'Neil_50%", moves: ['interviewed'], isShortlisted: true },
    { firstName: 'Di', lastName: 'van Dam', moves: ['scheduled', 'interviewed'] },
  ],
  [
    { firstName: 'Eve', lastName: 'St. John*', moves: ['hired'] },
    { firstName: 'Fay', lastName: 'Annis', moves: ['interviewed', 'hired'], isShortlisted: true },
    { firstName: 'Guy', lastName: 'Lee', moves: ['rejected'] },
  ],
  [
    { firstName: 'Hal', lastName: 'Lee', moves: ['scheduled', 'rejected'], isShortlisted: true },
    { firstName: 'Ida', lastName: 'Møller' },
    { firstName: 'Jo', lastName: '😀 Lee', moves: ['scheduled'] },
  ],
];
export const crowdSize = groups.flat().length;

/** Has them apply to a posting and moves them; the posting and its office must exist. */
export const gatherCrowd = async (service: Service, postingId: string = ids.posting): Promise<void> => {
  const applied: (Candidate & { readonly id: string })[] = [];
  for (const [group, candidates] of groups.entries()) {
    for (const [index, candidate] of candidates.entries()) {
      const name = `crowd-${group}${index}`;
      const { firstName, lastName } = candidate;
      await putProfessional(service, name, { userId: `user-${name}`, firstName, lastName });
      applied.push({
        ...candidate,
        id: await apply(service, { sub: `user-${name}`, professional_id: name }, postingId),
      });
    }
    service.clock.advance(10);
  }
  for (const [index, { id, isShortlisted, moves = [] }] of applied.entries()) {
    for (const officeStatus of moves)
      await change(
        service,
        id,
        { officeStatus, ...(officeStatus === 'scheduled' ? { interviewAt: times.interview } : {}) },
        postingId,
      );
    if (isShortlisted) await change(service, id, { isShortlisted }, postingId);
    if (index % 3 === 0) service.clock.advance(1);
  }
};

/** Negative, zero or positive, as `sort` expects. */
export type Compare = (a: Row, b: Row) => number;

/** By code point, as UTF-8 and UTF-32 sort, or by number; false before true. */
export const byMember =
  (member: string, scale?: readonly string[]): Compare =>
  (a, b) => {
    const [left, right] = [a, b].map((row) => (scale ? scale.indexOf(String(row[member])) : row[member]));
    if (typeof left === 'string' && typeof right === 'string')
      return Buffer.compare(Buffer.from(left), Buffer.from(right));
    return Number(left) - Number(right);
  };

/** The order of a list: by the given comparison, then the newest application, then the id. */
export const ordered = (rows: readonly Row[], by: Compare, isAscending: boolean): unknown[] =>
  [...rows]
    .sort((a, b) => (isAscending ? by(a, b) : by(b, a)) || byMember('appliedAt')(b, a) || byMember('id')(a, b))
    .map(({ id }) => id);
