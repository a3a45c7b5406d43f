import type { DatedPhoneNumber, PhonesOfProfessional } from '../../src/domain/current-phone.ts';
import type { Profile } from '../../src/domain/professional.ts';
import type { DomainEvent } from '../../src/domain/index.ts';
import type { Projection } from '../../src/projector/projection.ts';
import { defineCollection, type Collection } from '../../src/read-models/port.ts';
import type { RefreshRows } from './rows.ts';

export interface ProfessionalDocument extends PhonesOfProfessional {
  readonly userId: string;
  readonly profile: Profile;
  /** When the coordinates last changed. */
  readonly locatedAt: string | null;
}

/** The name of the collection is stored: with another each projection would be built anew. */
export const defineProfessionalsCollection = (projection: string): Collection<ProfessionalDocument> =>
  defineCollection<ProfessionalDocument>({ name: `${projection}_people`, partition: 'id', indexes: [['userId']] });

/** The collection of the numbers that users set, by user. */
export const defineUserPhonesCollection = (projection: string): Collection<DatedPhoneNumber> =>
  defineCollection<DatedPhoneNumber>({ name: `${projection}_phones`, partition: 'id', indexes: [] });

export const fullName = ({ profile }: ProfessionalDocument): string => `${profile.firstName} ${profile.lastName}`;

/**
 * The handlers that keep professionals, with the numbers that their users have set.
 *
 * @param refresh renders the rows that show a professional
 */
export const createProfessionalHandlers = (
  professionals: Collection<ProfessionalDocument>,
  phones: Collection<DatedPhoneNumber>,
  refresh: RefreshRows,
): Pick<Projection<DomainEvent>['handlers'], 'ProfessionalRecorded' | 'PhoneNumberChanged'> => ({
  ProfessionalRecorded({ data, metadata: { recordedAt: at } }, documents) {
    const { professionalId, ...profile } = data;
    const before = documents.get(professionals, professionalId);
    const isNewPhone = profile.phone !== null && profile.phone !== before?.profile.phone;
    const isSamePlace =
      before && before.profile.latitude === profile.latitude && before.profile.longitude === profile.longitude;
    documents.put(professionals, professionalId, {
      userId: profile.userId,
      profile,
      profilePhone: isNewPhone ? { number: profile.phone, at } : (before?.profilePhone ?? null),
      ownPhone: documents.get(phones, profile.userId) ?? null,
      locatedAt: isSamePlace ? before.locatedAt : at,
    });
    refresh(professionalId, documents);
  },
  PhoneNumberChanged({ data: { userId, phoneNumber: number }, metadata: { recordedAt: at } }, documents) {
    const ownPhone = { number, at };
    documents.put(phones, userId, ownPhone);
    for (const id of documents.ids(professionals, 'userId', userId)) {
      const professional = documents.get(professionals, id);
      if (professional?.userId !== userId) continue;
      documents.put(professionals, id, { ...professional, ownPhone });
      refresh(id, documents);
    }
  },
});
