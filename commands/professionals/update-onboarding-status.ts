import { internalAccess } from '../../src/access/access.ts';
import { defineCommand, noContent } from '../../src/application/command.ts';
import { professionalDecider } from '../../src/domain/professional.ts';
import { notFound } from '../../src/errors/domain-error.ts';
import { Identifier, object } from '../../src/schema/schema.ts';
import { OnboardingStatus } from '../../src/schema/vocabulary.ts';

/** Updates the onboarding status of a professional (interface specification, 4.8). */
export const updateOnboardingStatus = defineCommand(professionalDecider)({
  name: 'updateOnboardingStatus',
  summary: 'Update the onboarding status of a professional',
  method: 'PATCH',
  path: '/internal/professional-onboarding/:id/status',
  access: internalAccess,
  params: object({ id: Identifier }),
  body: object({ status: OnboardingStatus }),
  prepare: ({ params: { id }, body: { status } }) => ({ id, status }),
  decide({ profile, onboarding }, { id, status }) {
    if (!profile) throw notFound('No professional has the id in path/id');
    return onboarding === status ? [] : [{ type: 'OnboardingStatusChanged', data: { professionalId: id, status } }];
  },
  ...noContent,
  refusals: ['not-found'],
});
