import { professionalProfiles, professionalProfilesCollection } from '../projections/professional-profiles.ts';
import { adminAccess } from '../src/access/access.ts';
import { notFound } from '../src/errors/domain-error.ts';
import { defineQuery } from '../src/application/query.ts';
import { Identifier, object } from '../src/schema/schema.ts';
import {
  classificationSettingsOf,
  weekdaySettingsOf,
  nullableClassificationSchemas,
  nullableWeekdaySchemas,
} from './parts/settings.ts';

export const getJobNotificationSettings = defineQuery({
  name: 'getJobNotificationSettings',
  summary: 'Read the job notification settings of a user back',
  path: '/admin/user/:userid/job-notification-settings',
  access: adminAccess,
  params: object({ userid: Identifier }),
  parameters: object({}),
  reads: [professionalProfiles],
  response: object(
    { ...nullableWeekdaySchemas, ...nullableClassificationSchemas },
    { title: 'CurrentJobNotificationSettings' },
  ),
  refusals: ['not-found'],
  async find({ params: { userid } }, readModels) {
    const [found] = await readModels.find(professionalProfilesCollection, { filter: { userId: userid }, limit: 1 });
    if (!found) throw notFound('No professional has the user in path/userid');
    return { ...weekdaySettingsOf(found.doc.settings), ...classificationSettingsOf(found.doc.settings) };
  },
});
