import { invalidAt } from '../errors/domain-error.ts';
import { IDENTIFIER_PATTERN } from '../schema/schema.ts';
import type { JsonObject } from '../schema/json.ts';
import { candidateDecider } from './candidate.ts';
import { streamOf } from '../streams/decider.ts';
import { officeDecider } from './office.ts';
import { postingDecider } from './posting.ts';
import { professionalDecider } from './professional.ts';
import { savedPostingsDecider } from './saved-postings.ts';
import { specialtyDecider } from './specialty.ts';
import { userDecider } from './user.ts';

/** What an id in an event can stand for. */
export const entityKinds = ['professional', 'posting', 'office', 'candidate', 'specialty', 'user'] as const;
export type EntityKind = (typeof entityKinds)[number];

export interface Entity {
  readonly kind: EntityKind;
  readonly id: string;
}

/** An entity as one text; `/` is in no identifier. */
export const entityKeyOf = ({ kind, id }: Entity): string => `${kind}/${id}`;

const IDENTIFIER_REGEXP = new RegExp(IDENTIFIER_PATTERN);

/** Reads an entity as analysts write it, as `posting:p1`. @throws DomainError invalid */
export const parseEntity = (text: string, place: string): Entity => {
  const [name = '', ...rest] = text.split(':');
  const kind = entityKinds.find((each) => each === name);
  const id = rest.join(':');
  if (kind === undefined || !IDENTIFIER_REGEXP.test(id))
    throw invalidAt(place, `must be <kind>:<id>, where the kind is one of ${entityKinds.join(', ')}`);
  return { kind, id };
};

/** The categories of the streams that have the entity's id in their names. */
export const categoriesByEntityKind: Readonly<Record<EntityKind, readonly string[]>> = {
  professional: [professionalDecider.category, savedPostingsDecider.category],
  posting: [postingDecider.category],
  office: [officeDecider.category],
  candidate: [candidateDecider.category],
  specialty: [specialtyDecider.category],
  user: [userDecider.category],
};

/** The streams that have the entity's id in their names. */
export const streamNamesOfEntity = ({ kind, id }: Entity): readonly string[] =>
  categoriesByEntityKind[kind].map((category) => streamOf({ category }, id));

/** The members of an event's data that name an entity of a kind. */
export const referenceMembersByKind: Readonly<Record<EntityKind, readonly string[]>> = {
  professional: ['professionalId'],
  posting: ['postingId', 'jobId'],
  office: ['officeId'],
  candidate: ['candidateId'],
  specialty: ['specialtyId'],
  user: ['userId'],
};

/** Whether an event's data names an entity. */
export const hasReferenceTo = (data: JsonObject, { kind, id }: Entity): boolean =>
  referenceMembersByKind[kind].some((member) => Object.hasOwn(data, member) && data[member] === id);
