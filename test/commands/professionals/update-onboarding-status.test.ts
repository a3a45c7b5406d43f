import { updateOnboardingStatus } from '../../../commands/professionals/update-onboarding-status.ts';
import { ids } from '../../support/examples.ts';
import { given, noContent } from '../../support/given.ts';
import { professionalKnown, toProfessional } from '../known.ts';

const statuses = [
  'invited',
  'started',
  'profile_completed',
  'credentials_submitted',
  'verified',
  'rejected',
  'suspended',
] as const;
type Status = (typeof statuses)[number];

const changedTo = (status: Status) =>
  toProfessional({ type: 'OnboardingStatusChanged', data: { professionalId: ids.professional, status } });
const patch = (body: object) => ({ params: { id: ids.professional }, body });

describe('updateOnboardingStatus', () => {
  for (const status of statuses)
    it(`can begin with ${status}`, () =>
      given(professionalKnown)
        .when(updateOnboardingStatus, patch({ status }))
        .then([changedTo(status)], noContent));

  for (const from of statuses)
    for (const to of statuses.filter((status) => status !== from))
      it(`goes from ${from} to ${to}`, () =>
        given(professionalKnown, changedTo(from))
          .when(updateOnboardingStatus, patch({ status: to }))
          .then([changedTo(to)], noContent));

  for (const status of statuses)
    it(`appends nothing when it is ${status} already`, () =>
      given(professionalKnown, changedTo(status)).when(updateOnboardingStatus, patch({ status })).thenNothing());

  it('returns to a status of before', () =>
    given(professionalKnown, changedTo('verified'), changedTo('suspended'))
      .when(updateOnboardingStatus, patch({ status: 'verified' }))
      .then([changedTo('verified')], noContent));

  it('is kept when the profile is told anew', () =>
    given(professionalKnown, changedTo('verified'), professionalKnown)
      .when(updateOnboardingStatus, patch({ status: 'verified' }))
      .thenNothing());

  it('refuses a professional who is not known', () =>
    given()
      .when(updateOnboardingStatus, patch({ status: 'started' }))
      .thenRefused('not-found', 'No professional has the id in path/id'));

  it('refuses an unknown status and lists the allowed ones', () =>
    given(professionalKnown)
      .when(updateOnboardingStatus, patch({ status: 'active' }))
      .thenRefused('invalid', `body/status must be one of ${statuses.join(', ')}`));

  for (const body of [{}, { status: null }])
    it(`refuses ${JSON.stringify(body)}, which has no status`, () =>
      given(professionalKnown)
        .when(updateOnboardingStatus, patch(body))
        .thenRefused('invalid', 'body/status is required'));
});
