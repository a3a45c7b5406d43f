import { Type } from '../src/schema/typebox.ts';
import { professionalProfiles, professionalProfilesCollection } from '../projections/professional-profiles.ts';
import { internalAccess } from '../src/access/access.ts';
import { notFound } from '../src/errors/domain-error.ts';
import { defineQuery } from '../src/application/query.ts';
import { Identifier, Timestamp, nullable, object, personal } from '../src/schema/schema.ts';
import { OnboardingStatus } from '../src/schema/vocabulary.ts';
import {
  classificationSettingsOf,
  weekdaySettingsOf,
  nullableClassificationSchemas,
  nullableWeekdaySchemas,
} from './parts/settings.ts';

const nullableText = nullable(Type.String());
const tallySchema = Type.Record(Type.String(), Type.Integer({ minimum: 1 }));

export const getProfessional = defineQuery({
  name: 'getProfessional',
  summary: 'Read a professional back',
  path: '/internal/professionals/:id',
  access: internalAccess,
  params: object({ id: Identifier }),
  parameters: object({}),
  reads: [professionalProfiles],
  response: object(
    {
      id: Identifier,
      userId: Identifier,
      firstName: personal(Type.String(), 'userId', 'firstName'),
      lastName: personal(Type.String(), 'userId', 'lastName'),
      email: personal(nullableText, 'userId', 'contact'),
      phone: personal(nullableText, 'userId', 'contact'),
      picture: personal(nullableText, 'userId', 'picture'),
      yearsOfExperience: nullable(Type.Integer()),
      profession: nullableText,
      latitude: personal(nullable(Type.Number()), 'userId', 'place'),
      longitude: personal(nullable(Type.Number()), 'userId', 'place'),
      onboarding: object({ status: nullable(OnboardingStatus), since: nullable(Timestamp) }, { title: 'Onboarding' }),
      jobNotifications: object(nullableWeekdaySchemas, { title: 'JobNotifications' }),
      workerClassifications: object(nullableClassificationSchemas, { title: 'WorkerClassifications' }),
      reviews: object(
        { count: Type.Integer(), endorsed: tallySchema, renounced: tallySchema },
        { title: 'ReviewCounts' },
      ),
    },
    { title: 'Professional' },
  ),
  refusals: ['not-found'],
  async find({ params: { id } }, readModels) {
    const doc = (await readModels.get(professionalProfilesCollection, id))?.doc;
    if (!doc?.profile) throw notFound('No professional has the id in path/id');
    return {
      ...doc.profile,
      onboarding: doc.own.onboarding ?? { status: null, since: null },
      jobNotifications: weekdaySettingsOf(doc.settings),
      workerClassifications: classificationSettingsOf(doc.settings),
      reviews: doc.own.reviews,
    };
  },
});
