import { currentPhone } from '../src/domain/current-phone.ts';
import type { ReviewData } from '../src/domain/review.ts';
import { decodeDomainEvent, type DomainEvent } from '../src/domain/index.ts';
import type { Projection } from '../src/projector/projection.ts';
import { defineCollection } from '../src/read-models/port.ts';
import type { JobNotificationSettings, OnboardingStatus } from '../src/schema/vocabulary.ts';
import {
  defineProfessionalsCollection,
  defineUserPhonesCollection,
  createProfessionalHandlers,
  type ProfessionalDocument,
} from './parts/professionals.ts';
import { createRowWriter, type RefreshRows } from './parts/rows.ts';

/** How often each entry is named; one no longer named is left out. */
type Tally = Readonly<Record<string, number>>;

interface Own {
  readonly onboarding: { readonly status: OnboardingStatus; readonly since: string } | null;
  readonly reviews: { readonly count: number; readonly endorsed: Tally; readonly renounced: Tally };
}

export interface ProfessionalProfile {
  readonly own: Own;
  /** Null until the professional is known. */
  readonly userId: string | null;
  readonly profile: (ProfessionalDocument['profile'] & { readonly id: string }) | null;
  /** Those of the profile's user. */
  readonly settings: JobNotificationSettings | null;
}

const professionals = defineProfessionalsCollection('professional_profiles');
const phones = defineUserPhonesCollection('professional_profiles');
const userSettingsCollection = defineCollection<JobNotificationSettings>({
  name: 'professional_profiles_settings',
  partition: 'id',
  indexes: [],
});
const reviews = defineCollection<Pick<ReviewData, 'endorsed' | 'renounced'>>({
  name: 'professional_profiles_reviews',
  partition: 'id',
  indexes: [],
});

export const professionalProfilesCollection = defineCollection<ProfessionalProfile>({
  name: 'professional_profiles',
  partition: 'id',
  indexes: [['userId']],
});

const nothing: Own = { onboarding: null, reviews: { count: 0, endorsed: {}, renounced: {} } };

const rows = createRowWriter<Own, ProfessionalProfile>({
  collection: professionalProfilesCollection,
  ownOf: ({ own }) => own,
  render(id, own, documents, before) {
    if (before) return { ...before, own };
    const professional = documents.get(professionals, id);
    if (!professional) return { own, userId: null, profile: null, settings: null };
    const settings = documents.get(userSettingsCollection, professional.userId);
    return {
      own,
      userId: professional.userId,
      profile: { id, ...professional.profile, phone: currentPhone(professional) },
      settings: settings ?? null,
    };
  },
});

const refreshOfUser = rows.refreshBy('userId');
const refreshProfile: RefreshRows = (id, documents) => {
  if (rows.ownOf(id, documents)) rows.refresh(id, documents);
  else rows.set(id, nothing, documents);
};

/** A Map, since an entry may be any identifier, even `__proto__`. */
const updateTally = (before: Tally, less: readonly string[], more: readonly string[]): Tally => {
  const times = new Map(Object.entries(before));
  for (const entry of less) times.set(entry, (times.get(entry) ?? 0) - 1);
  for (const entry of more) times.set(entry, (times.get(entry) ?? 0) + 1);
  return Object.fromEntries([...times].filter(([, count]) => count > 0).sort(([a], [b]) => (a < b ? -1 : 1)));
};

/** Professionals with their onboarding, notification settings and reviews. */
export const professionalProfiles: Projection<DomainEvent> = {
  name: 'professional-profiles',
  version: 1,
  collections: [professionalProfilesCollection, reviews, userSettingsCollection, professionals, phones],
  shared: [userSettingsCollection, phones],
  decode: decodeDomainEvent,
  handlers: {
    ...createProfessionalHandlers(professionals, phones, refreshProfile),
    OnboardingStatusChanged({ data: { professionalId, status }, metadata }, documents) {
      const own = rows.ownOf(professionalId, documents) ?? nothing;
      rows.set(professionalId, { ...own, onboarding: { status, since: metadata.recordedAt } }, documents);
    },
    ReviewPosted({ data: { reviewId, professionalId, endorsed, renounced } }, documents) {
      const own = rows.ownOf(professionalId, documents) ?? nothing;
      const replaced = documents.get(reviews, reviewId);
      const after = {
        count: own.reviews.count + (replaced ? 0 : 1),
        endorsed: updateTally(own.reviews.endorsed, replaced?.endorsed ?? [], endorsed),
        renounced: updateTally(own.reviews.renounced, replaced?.renounced ?? [], renounced),
      };
      rows.set(professionalId, { ...own, reviews: after }, documents);
      documents.put(reviews, reviewId, { endorsed, renounced });
    },
    JobNotificationSettingsChanged({ data: { userId, ...settings } }, documents) {
      documents.put(userSettingsCollection, userId, settings);
      refreshOfUser(userId, documents);
    },
  },
};
