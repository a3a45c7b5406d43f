import { Type, type Static } from '../schema/typebox.ts';
import type { DatedPhoneNumber } from './current-phone.ts';
import { defineEvent } from '../streams/events.ts';
import type { Decider } from '../streams/decider.ts';
import { Identifier, nullable, object, personal, text } from '../schema/schema.ts';
import { OnboardingStatus } from '../schema/vocabulary.ts';

// A user and the professional whose profile names it are one person.
const PERSON_MEMBER = 'userId';

/** What the rest of the business says of a professional. `phone` is E.164. */
export const Profile = object({
  userId: Identifier,
  firstName: personal(text(200, { minLength: 1 }), PERSON_MEMBER, 'firstName'),
  lastName: personal(text(200, { minLength: 1 }), PERSON_MEMBER, 'lastName'),
  email: personal(nullable(text(254)), PERSON_MEMBER, 'contact'),
  phone: personal(nullable(text()), PERSON_MEMBER, 'contact'),
  picture: personal(nullable(text(2_000)), PERSON_MEMBER, 'picture'),
  yearsOfExperience: nullable(Type.Integer({ minimum: 0, maximum: 80 })),
  profession: nullable(text()),
  latitude: personal(nullable(Type.Number({ minimum: -90, maximum: 90 })), PERSON_MEMBER, 'place'),
  longitude: personal(nullable(Type.Number({ minimum: -180, maximum: 180 })), PERSON_MEMBER, 'place'),
});
export type Profile = Static<typeof Profile>;

export const professionalEvents = [
  defineEvent('ProfessionalRecorded', 'The rest of the business told what it knows of a professional.', {
    professionalId: Identifier,
    ...Profile.properties,
  }),
  defineEvent('OnboardingStatusChanged', 'The onboarding of a professional took a step.', {
    professionalId: Identifier,
    status: OnboardingStatus,
  }),
] as const;

export interface ProfessionalState {
  /** Null until the professional is known. */
  readonly profile: Profile | null;
  /** The last number of a profile that was new and not null. */
  readonly profilePhone: DatedPhoneNumber | null;
  readonly onboarding: OnboardingStatus | null;
}

export const professionalDecider: Decider<ProfessionalState, typeof professionalEvents> = {
  category: 'professional',
  events: professionalEvents,
  initialState: { profile: null, profilePhone: null, onboarding: null },
  evolve(state, event) {
    switch (event.type) {
      case 'ProfessionalRecorded': {
        const { professionalId: _id, ...profile } = event.data;
        const { phone: number } = profile;
        const isNew = number !== null && number !== state.profile?.phone;
        const profilePhone = isNew ? { number, at: event.metadata.recordedAt } : state.profilePhone;
        return { ...state, profile, profilePhone };
      }
      case 'OnboardingStatusChanged':
        return { ...state, onboarding: event.data.status };
    }
  },
};
