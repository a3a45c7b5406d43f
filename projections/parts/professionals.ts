import type { PhoneSet, PhonesOfProfessional } from '../../src/domain/current-phone.ts';
import type { Profile } from '../../src/domain/professional.ts';
import type { NamedEvent } from '../../src/domain/index.ts';
import type { Handler } from '../../src/projector/projection.ts';
import { defineCollection, type Collection } from '../../src/read-models/port.ts';
import type { Refresh } from './rows.ts';

export interface Professional extends PhonesOfProfessional {
  readonly userId: string;
  readonly profile: Profile;
  /** When the coordinates last changed. */
  readonly locatedAt: string | null;
}

/** The name of the collection is stored: with another each projection would be built anew. */
export const professionalsCollectionOf = (projection: string): Collection<Professional> =>
  defineCollection<Professional>({ name: `${projection}_people`, partition: 'id', indexes: [['userId']] });

/** The collection of the numbers that users set, by user. */
export const phonesCollectionOf = (projection: string): Collection<PhoneSet> =>
  defineCollection<PhoneSet>({ name: `${projection}_phones`, partition: 'id', indexes: [] });

export const fullName = ({ profile }: Professional): string => `${profile.firstName} ${profile.lastName}`;

/** Keeps a professional. @param refresh renders the rows that show this professional */
export const keepProfessional =
  (
    professionals: Collection<Professional>,
    phones: Collection<PhoneSet>,
    refresh: Refresh,
  ): Handler<NamedEvent<'ProfessionalRecorded'>> =>
  ({ data, metadata: { recordedAt: at } }, documents) => {
    const { professionalId, ...profile } = data;
    const before = documents.get(professionals, professionalId);
    const isNewPhone = profile.phone !== null && profile.phone !== before?.profile.phone;
    const isSamePlace =
      before &&
      before.profile.latitude === profile.latitude &&
      before.profile.longitude === profile.longitude;
    documents.put(professionals, professionalId, {
      userId: profile.userId,
      profile,
      profilePhone: isNewPhone ? { number: profile.phone, at } : (before?.profilePhone ?? null),
      ownPhone: documents.get(phones, profile.userId) ?? null,
      locatedAt: isSamePlace ? before.locatedAt : at,
    });
    refresh(professionalId, documents);
  };

/** Keeps the number that a user has set, also with the user's professionals. @param refresh renders the rows that show one */
export const keepPhone =
  (
    professionals: Collection<Professional>,
    phones: Collection<PhoneSet>,
    refresh: Refresh,
  ): Handler<NamedEvent<'PhoneNumberChanged'>> =>
  ({ data: { userId, phoneNumber: number }, metadata: { recordedAt: at } }, documents) => {
    const ownPhone = { number, at };
    documents.put(phones, userId, ownPhone);
    for (const id of documents.ids(professionals, 'userId', userId)) {
      const professional = documents.get(professionals, id);
      if (professional?.userId !== userId) continue;
      documents.put(professionals, id, { ...professional, ownPhone });
      refresh(id, documents);
    }
  };
