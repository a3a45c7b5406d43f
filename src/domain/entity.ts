import { invalidAt } from '../errors/domain-error.ts';
import { IDENTIFIER } from '../schema/schema.ts';
import type { JsonObject } from '../schema/json.ts';
import { candidate } from './candidate.ts';
import { streamOf } from '../streams/decider.ts';
import { office } from './office.ts';
import { posting } from './posting.ts';
import { professional } from './professional.ts';
import { savedPostings } from './saved-postings.ts';
import { specialty } from './specialty.ts';
import { user } from './user.ts';

/** What an id in an event can stand for. */
export const entityKinds = ['professional', 'posting', 'office', 'candidate', 'specialty', 'user'] as const;
export type EntityKind = (typeof entityKinds)[number];

export interface Entity {
  readonly kind: EntityKind;
  readonly id: string;
}

/** An entity as one text; `/` is in no identifier. */
export const entityText = ({ kind, id }: Entity): string => `${kind}/${id}`;

const identifier = new RegExp(IDENTIFIER);

/** Reads an entity as analysts write it, as `posting:p1`. @throws DomainError invalid */
export const parseEntity = (text: string, place: string): Entity => {
  const [name = '', ...rest] = text.split(':');
  const kind = entityKinds.find((each) => each === name);
  const id = rest.join(':');
  if (kind === undefined || !identifier.test(id))
    throw invalidAt(place, `must be <kind>:<id>, where the kind is one of ${entityKinds.join(', ')}`);
  return { kind, id };
};

/** The categories of the streams that have the entity's id in their names. */
export const ownCategories: Readonly<Record<EntityKind, readonly string[]>> = {
  professional: [professional.category, savedPostings.category],
  posting: [posting.category],
  office: [office.category],
  candidate: [candidate.category],
  specialty: [specialty.category],
  user: [user.category],
};

/** The streams that have the entity's id in their names. */
export const ownStreams = ({ kind, id }: Entity): readonly string[] =>
  ownCategories[kind].map((category) => streamOf({ category }, id));

/** The members of an event's data that name an entity of a kind. */
export const fieldsReferencing: Readonly<Record<EntityKind, readonly string[]>> = {
  professional: ['professionalId'],
  posting: ['postingId', 'jobId'],
  office: ['officeId'],
  candidate: ['candidateId'],
  specialty: ['specialtyId'],
  user: ['userId'],
};

/** Whether an event's data names an entity. */
export const referencesEntity = (data: JsonObject, { kind, id }: Entity): boolean =>
  fieldsReferencing[kind].some((member) => Object.hasOwn(data, member) && data[member] === id);
