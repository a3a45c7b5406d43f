import { projections } from '../../projections/index.ts';
import { candidateIdOf } from '../../src/domain/candidate.ts';
import { entityKinds } from '../../src/domain/entity.ts';
import { historyReadModels } from '../../src/history/moment/history-read-models.ts';
import { chance, randomInteger, type Random } from '../../src/tools/seed/random.ts';
import { anyOf } from './draw.ts';
import { placeOf } from './minted.ts';

/** A professional with an account. */
export interface Person {
  readonly id: string;
  readonly userId: string;
  readonly mail: string;
}
export interface OfferedPosting {
  readonly id: string;
  readonly officeId: string;
}

export interface Specialty {
  readonly id: string;
  readonly procedures: readonly string[];
}

/** Who and what a request is about. */
export interface Subject {
  readonly posting: OfferedPosting;
  readonly person: Person;
  readonly specialty: Specialty;
  /** Under which the codes of its flow are kept. */
  readonly key: string;
}

const [OFFICES, PEOPLE, SPECIALTIES] = [12, 60, 6];
/** Postings close for good, so there are always new ones; requests are about the newest of them. */
const RECENT_POSTINGS = 40;
const RECENT_KEYS = 20;
const UNKNOWN = 0.08;

const numbered = <T>(count: number, make: (number: number) => T): readonly T[] =>
  Array.from({ length: count }, (_, number) => make(number));

const shownNames = historyReadModels.map(({ name }) => name);
export const projectionNames = projections.map(({ name }) => name);

/** Who and what the requests of a plan are about: few of each, so that requests meet. */
export const createWorld = (random: Random) => {
  const offices = numbered(OFFICES, (number) => `office-${number}`);
  const people = numbered(PEOPLE, (number): Person => {
    return { id: `professional-${number}`, userId: `user-${number}`, mail: `ann.${number}@example.com` };
  });
  const specialties = numbered(SPECIALTIES, (number): Specialty => {
    return { id: `specialty-${number}`, procedures: numbered(2 + number, (place) => `procedure-${number}-${place}`) };
  });
  const postings: OfferedPosting[] = [];
  let [posted, keys] = [0, 0];

  const newPosting = (): OfferedPosting => {
    const posting = { id: `posting-${posted++}`, officeId: anyOf(random, offices) };
    postings.push(posting);
    if (postings.length > RECENT_POSTINGS) postings.shift();
    return posting;
  };
  newPosting();
  const recentKey = () => `k${randomInteger(random, Math.max(0, keys - RECENT_KEYS), keys)}`;
  const procedure = () => anyOf(random, anyOf(random, specialties).procedures);
  const moment = () => anyOf(random, ['2026-03-01', '2026-03-01T09:30:00Z', '0', '1', '40', '400']);
  const phone = () => `+1512${randomInteger(random, 2_000_000, 9_999_999)}`;

  const byMember: Readonly<Record<string, () => string>> = {
    postingId: () => anyOf(random, postings).id,
    jobID: () => anyOf(random, postings).id,
    officeId: () => anyOf(random, offices),
    userId: () => anyOf(random, people).userId,
    phone,
    phoneNumber: phone,
    email: () => anyOf(random, people).mail,
    interviewAt: () => anyOf(random, ['2026-04-01T15:00:00Z', '2026-04-01t10:00:00.5-05:00']),
    code: () => placeOf('code', recentKey()),
    requestToken: () => placeOf('requestToken', recentKey()),
    confirm: () => anyOf(random, projectionNames),
    stream: () => `office-${anyOf(random, offices)}`,
    endorsed: procedure,
    renounced: procedure,
    procedure_ids: procedure,
    at: moment,
    from: moment,
    to: moment,
    entity: () => `posting:${anyOf(random, postings).id}`,
    where: () => `data.postingId=${anyOf(random, postings).id}`,
  };

  /** Who and what a request is about. */
  const subject = (): Subject => ({
    posting: anyOf(random, postings),
    person: anyOf(random, people),
    specialty: anyOf(random, specialties),
    key: recentKey(),
  });

  /** A path by its template; now and then with an identifier that nothing has. */
  const pathOf = (template: string, { posting, person, specialty, key }: Subject, unknown = UNKNOWN): string => {
    const byOwner: Readonly<Record<string, () => string>> = {
      offices: () => posting.officeId,
      professionals: () => person.id,
      'professional-onboarding': () => person.id,
      users: () => person.id,
      user: () => person.userId,
      postings: () => posting.id,
      candidates: () => candidateIdOf(posting.id, person.id),
      specialties: () => specialty.id,
      codes: () => placeOf('codeId', key),
      flows: () => placeOf('flowId', key),
      projections: () => anyOf(random, projectionNames),
      entities: () => anyOf(random, entityKinds),
      'read-models': () => anyOf(random, shownNames),
      rows: () => anyOf(random, [candidateIdOf(posting.id, person.id), `${person.id}%2F${posting.id}`]),
    };
    /** Of a part of a path that follows another one. */
    const byName: Readonly<Record<string, () => string>> = {
      id: () => anyOf(random, [posting.id, person.id, candidateIdOf(posting.id, person.id)]),
      partition: () => anyOf(random, [posting.id, person.id, specialty.id]),
    };
    return template.replaceAll(/(?:([\w-]+)\/)?\{(\w+)\}/g, (_, owner: string | undefined, name: string) => {
      const draw = chance(random, unknown) ? undefined : (byOwner[owner ?? ''] ?? byName[name]);
      const value = draw?.() ?? `unknown-${randomInteger(random, 0, 99)}`;
      return owner === undefined ? value : `${owner}/${value}`;
    });
  };

  return {
    offices,
    people,
    specialties,
    newPosting,
    subject,
    pathOf,
    newKey: () => `k${++keys}`,
    newPhone: phone,
    /** What a member of this name mostly holds; undefined where nothing is known of it. */
    named: (name: string): string | undefined => (Object.hasOwn(byMember, name) ? byMember[name]?.() : undefined),
  };
};
export type World = ReturnType<typeof createWorld>;
