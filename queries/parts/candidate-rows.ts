import { Type } from '../../src/schema/typebox.ts';
import type { PostingCandidate } from '../../projections/posting-candidates.ts';
import { NotBuiltError, type Order } from '../../src/read-models/port.ts';
import { Identifier, Timestamp, nullable, object, personal } from '../../src/schema/schema.ts';
import {
  CandidateHiringStatus,
  CandidateOfficeStatus,
  CandidateProfessionalStatus,
} from '../../src/schema/vocabulary.ts';

/** The members that offices and administrators see alike (interface specification, 2.1 and 2.2). */
export const candidateRowMembers = {
  id: Identifier,
  appliedAt: Timestamp,
  createdAt: Timestamp,
  createdBy: Type.String(),
  updatedAt: Timestamp,
  updatedBy: Type.String(),
  hiringStatus: CandidateHiringStatus,
  officeStatus: CandidateOfficeStatus,
  isShortlisted: Type.Boolean(),
  onsiteInterviewId: nullable(Identifier),
  professionalId: Identifier,
  professionalName: personal(nullable(Type.String()), 'professionalId', 'fullName'),
  professionalStatus: CandidateProfessionalStatus,
};

export const candidateRowValues = (
  id: string,
  { candidate, professionalName }: Pick<PostingCandidate, 'candidate' | 'professionalName'>,
) => ({
  id,
  appliedAt: candidate.appliedAt,
  createdAt: candidate.appliedAt,
  createdBy: candidate.createdBy,
  updatedAt: candidate.updatedAt,
  updatedBy: candidate.updatedBy,
  hiringStatus: candidate.hiringStatus,
  officeStatus: candidate.officeStatus,
  professionalStatus: candidate.professionalStatus,
  isShortlisted: candidate.isShortlisted,
  onsiteInterviewId: candidate.interview?.id ?? null,
  professionalId: candidate.professionalId,
  professionalName,
});

/** The members of one candidate beside those of a list. */
export const candidateDetailMembers = {
  interviewAt: nullable(Timestamp),
  resumeId: Identifier,
  moves: Type.Array(object({ officeStatus: CandidateOfficeStatus, at: Timestamp }, { title: 'CandidateMove' }), {
    description: 'Oldest first.',
  }),
};

/** @throws NotBuiltError where an older build, without moves, is served */
export const candidateDetailsOf = ({ candidate, moves }: Pick<PostingCandidate, 'candidate' | 'moves'>) => {
  if (!moves) throw new NotBuiltError('candidates with moves');
  return { interviewAt: candidate.interview?.at ?? null, resumeId: candidate.resumeId, moves: [...moves] };
};

export type SortColumn =
  | 'appliedAt'
  | 'updatedAt'
  | 'professionalName'
  | 'officeRank'
  | 'hiringRank'
  | 'professionalRank'
  | 'hired'
  | 'shortlisted';

/** One of the names under which callers sort. */
export const sortParameterSchemaOf = <Name extends string>(columns: Readonly<Record<Name, SortColumn>>) =>
  // A literal has no other keys.
  Type.Enum(Object.keys(columns) as Name[]);

/** A total order, so that pages never overlap: a column, then the newest application, then the id. */
export const orderBy = (column: SortColumn, isAscending: boolean): Order<PostingCandidate> => {
  const first = [column, isAscending ? 'ascending' : 'descending'] as const;
  const ties = [
    ['appliedAt', 'descending'],
    ['id', 'ascending'],
  ] as const;
  return [first, ...ties.filter(([name]) => name !== column)];
};
