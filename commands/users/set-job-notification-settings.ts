import { isDeepStrictEqual } from 'node:util';
import { Type } from '../../src/schema/typebox.ts';
import { adminAccess } from '../../src/access/access.ts';
import { defineCommand } from '../../src/application/command.ts';
import { userDecider } from '../../src/domain/user.ts';
import { notFound } from '../../src/errors/domain-error.ts';
import { loadProfessionalsOfUser } from '../parts/user-professionals.ts';
import { Identifier, object } from '../../src/schema/schema.ts';
import { JobNotificationSettings } from '../../src/schema/vocabulary.ts';

const { contractor, employee, ...days } = JobNotificationSettings.properties;

/** Updates the job notification settings and worker classifications of a user (interface specification, 4.10). */
export const setJobNotificationSettings = defineCommand(userDecider)({
  name: 'setJobNotificationSettings',
  summary: 'Set the job notification settings of a user',
  method: 'PUT',
  path: '/admin/user/:userid/job-notification-settings',
  access: adminAccess,
  params: object({ userid: Identifier }),
  body: object({ ...days, contractor: Type.Optional(contractor), employee: Type.Optional(employee) }),
  async prepare({ params: { userid }, body }, context) {
    if ((await loadProfessionalsOfUser(userid, context)).length === 0)
      throw notFound('No professional has the user in path/userid');
    return { id: userid, settings: body };
  },
  decide(state, { id, settings }) {
    // A classification that was left out stays as it was.
    const after = {
      ...settings,
      contractor: settings.contractor ?? state.settings?.contractor ?? null,
      employee: settings.employee ?? state.settings?.employee ?? null,
    };
    return isDeepStrictEqual(state.settings, after)
      ? []
      : [{ type: 'JobNotificationSettingsChanged', data: { userId: id, ...after } }];
  },
  outcome({ settings }) {
    if (!settings) throw new Error('Settings that were set are not there');
    return settings;
  },
  responses: { 200: JobNotificationSettings },
  refusals: ['not-found'],
  respond: (settings) => ({ status: 200, body: settings }),
});
