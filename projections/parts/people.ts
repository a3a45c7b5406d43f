import type { PhoneSet, PhonesOfProfessional } from '../../src/domain/current-phone.ts';
import type { Profile } from '../../src/domain/professional.ts';
import type { Handler } from '../../src/projector/projection.ts';
import { defineCollection, type Collection } from '../../src/read-models/port.ts';
import type { Refresh } from './rows.ts';

/** What a projection keeps of a professional, to render documents. */
export interface Person extends PhonesOfProfessional {
  readonly userId: string;
  readonly profile: Profile;
  /** When the coordinates last changed. */
  readonly locatedAt: string | null;
}

export interface People {
  readonly people: Collection<Person>;
  readonly phones: Collection<PhoneSet>;
}

/** The collections of professionals, and of the numbers that users set. */
export const peopleOf = (projection: string): People => ({
  people: defineCollection<Person>({
    name: `${projection}_people`,
    partition: 'id',
    indexes: [['userId']],
  }),
  phones: defineCollection<PhoneSet>({
    name: `${projection}_phones`,
    partition: 'id',
    indexes: [],
  }),
});

export const fullName = ({ profile }: Person): string => `${profile.firstName} ${profile.lastName}`;

/** Keeps a professional. @param refresh renders the rows that show this professional */
export const recordPerson =
  ({ people, phones }: People, refresh: Refresh): Handler<'ProfessionalRecorded'> =>
  ({ data, metadata: { recordedAt: at } }, documents) => {
    const { professionalId, ...profile } = data;
    const before = documents.get(people, professionalId);
    const isNewPhone = profile.phone !== null && profile.phone !== before?.profile.phone;
    const isSamePlace =
      before &&
      before.profile.latitude === profile.latitude &&
      before.profile.longitude === profile.longitude;
    documents.put(people, professionalId, {
      userId: profile.userId,
      profile,
      profilePhone: isNewPhone ? { number: profile.phone, at } : (before?.profilePhone ?? null),
      ownPhone: documents.get(phones, profile.userId) ?? null,
      locatedAt: isSamePlace ? before.locatedAt : at,
    });
    refresh(professionalId, documents);
  };

/** Keeps the number that a user has set, also with the user's professionals. @param refresh renders the rows that show one */
export const setPhone =
  ({ people, phones }: People, refresh: Refresh): Handler<'PhoneNumberChanged'> =>
  ({ data: { userId, phoneNumber: number }, metadata: { recordedAt: at } }, documents) => {
    const ownPhone = { number, at };
    documents.put(phones, userId, ownPhone);
    for (const id of documents.ids(people, 'userId', userId)) {
      const person = documents.get(people, id);
      if (person?.userId !== userId) continue;
      documents.put(people, id, { ...person, ownPhone });
      refresh(id, documents);
    }
  };
