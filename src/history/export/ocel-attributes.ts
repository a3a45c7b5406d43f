import type { ShownCandidate } from '../../domain/candidate.ts';
import { membersNaming, type EntityKind } from '../../domain/entity.ts';
import { eventDefinitions } from '../../domain/index.ts';
import type { Json, JsonObject } from '../../schema/json.ts';
import type { FoundEvent } from '../find/event.ts';
import { columnsOfMembers, type MemberColumn } from '../warehouse/columns.ts';

export type ObjectColumns = Readonly<Record<EntityKind, readonly MemberColumn[]>>;

interface Telling {
  readonly kind: EntityKind;
  readonly type: string;
  /** The attributes that members become; left out: each member but those that name an entity. */
  readonly members?: Readonly<Record<string, string>>;
}

/** The events that tell attributes of the object in whose stream they stand. */
const TELLING: readonly Telling[] = [
  { kind: 'professional', type: 'ProfessionalRecorded' },
  { kind: 'professional', type: 'OnboardingStatusChanged', members: { status: 'onboardingStatus' } },
  { kind: 'posting', type: 'PostingRecorded' },
  { kind: 'office', type: 'OfficeRecorded' },
  { kind: 'specialty', type: 'SpecialtyRecorded' },
  { kind: 'specialty', type: 'ProceduresReordered' },
  { kind: 'user', type: 'JobNotificationSettingsChanged' },
  { kind: 'user', type: 'PhoneNumberChanged', members: { phoneNumber: 'phoneNumber' } },
];
const tellingBy = new Map(TELLING.map((telling) => [telling.type, telling]));

const idMembers = new Set(Object.values(membersNaming).flat());
const attributeOf = ({ members }: Telling, member: string): string | undefined => {
  if (members) return Object.hasOwn(members, member) ? members[member] : undefined;
  return idMembers.has(member) ? undefined : member;
};

/** What a candidate is, by its own events and the closing of its posting. */
export const candidateAttributes = (candidate: ShownCandidate): JsonObject => ({
  resumeId: candidate.resumeId,
  officeStatus: candidate.officeStatus,
  hiringStatus: candidate.hiringStatus,
  professionalStatus: candidate.professionalStatus,
  isShortlisted: candidate.isShortlisted,
  interviewAt: candidate.interview?.at ?? null,
});

const text = (name: string): MemberColumn => ({ name, type: 'VARCHAR' });

const DERIVED: Readonly<Partial<Record<EntityKind, readonly MemberColumn[]>>> = {
  posting: [{ name: 'isClosed', type: 'BOOLEAN' }],
  candidate: [
    ...['resumeId', 'officeStatus', 'hiringStatus', 'professionalStatus'].map(text),
    { name: 'isShortlisted', type: 'BOOLEAN' },
    { name: 'interviewAt', type: 'TIMESTAMP' },
  ],
};

/** The attributes of the objects of each kind, with their types. */
export const objectColumns = (isMasked: boolean): ObjectColumns => {
  const of = (kind: EntityKind): readonly MemberColumn[] => {
    const columns = TELLING.filter((telling) => telling.kind === kind).flatMap((telling) => {
      const data = eventDefinitions.find(({ type }) => type === telling.type)?.data;
      return columnsOfMembers(data, isMasked).flatMap((column): readonly MemberColumn[] => {
        const name = attributeOf(telling, column.name);
        return name === undefined ? [] : [{ ...column, name }];
      });
    });
    return [...columns, ...(DERIVED[kind] ?? [])];
  };
  return {
    professional: of('professional'),
    posting: of('posting'),
    office: of('office'),
    candidate: of('candidate'),
    specialty: of('specialty'),
    user: of('user'),
  };
};

/** What an event tells of the object in whose stream it stands; of a candidate see `candidateAttributes`. */
export const attributesTold = ({ type, data }: FoundEvent): JsonObject => {
  if (type === 'PostingClosed') return { isClosed: true };
  const telling = tellingBy.get(type);
  if (!telling || !data) return {};
  const attributes = Object.entries(data).flatMap(([member, value]): readonly (readonly [string, Json])[] => {
    const name = attributeOf(telling, member);
    return name === undefined ? [] : [[name, value]];
  });
  return Object.fromEntries(attributes);
};
