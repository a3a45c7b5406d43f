import { expect } from 'chai';
import { ids } from '../support/examples.ts';
import { at, expectError } from './answer-rules.ts';
import { startCheckedService, type CheckedService } from './checked-service.ts';
import { putProfessional, unchanged } from './stories.ts';

const statuses = [
  'invited',
  'started',
  'profile_completed',
  'credentials_submitted',
  'verified',
  'rejected',
  'suspended',
];
const pathOf = (id: string) => `/internal/professional-onboarding/${id}/status`;

describe('The onboarding status (4.8)', () => {
  let service: CheckedService;
  const set = (status: unknown, id: string = ids.professional) =>
    service.send('PATCH', pathOf(id), { body: { status } });
  const shown = async () =>
    at((await service.send('GET', `/internal/professionals/${ids.professional}`)).body, 'onboarding');

  before(async () => {
    service = await startCheckedService();
    await putProfessional(service);
  });
  beforeEach(() => {
    service.clock.advance(1);
  });
  after(() => service.stop());

  for (const from of statuses)
    it(`goes from ${from} to any other, with the time of the change`, async () => {
      for (const to of statuses.filter((status) => status !== from)) {
        await set(from);
        service.clock.advance(1);
        expect(await set(to)).to.include({ status: 204, body: undefined });
        expect(await shown()).to.deep.equal({ status: to, since: service.clock.now().toISOString() });
      }
    });

  for (const status of statuses)
    it(`stays ${status} without an event`, async () => {
      await set(status);
      const before = await shown();
      service.clock.advance(1);
      await unchanged(service, async () => expect((await set(status)).status).to.equal(204));
      expect(await shown()).to.deep.equal(before);
    });

  it('that is none of the allowed ones is a 400 that lists them', () =>
    unchanged(service, async () => {
      for (const status of [
        '',
        'Verified',
        'VERIFIED',
        ' verified',
        'verified ',
        'verifie',
        'profile-completed',
        5,
        ['verified'],
        true,
      ])
        expectError(await set(status), 400, new RegExp(`^body/status must be one of ${statuses.join(', ')}$`));
    }));

  it('that is missing or null is a 400', () =>
    unchanged(service, async () => {
      for (const status of [undefined, null]) expectError(await set(status), 400, /^body\/status is required$/);
    }));

  it('of an unknown professional is a 404', () =>
    unchanged(service, async () => expectError(await set('started', 'unknown'), 404, /path\/id/)));

  it('survives a revised profile', async () => {
    await set('verified');
    const before = await shown();
    await putProfessional(service, ids.professional, { lastName: `Lee ${Date.now()}` });
    expect(await shown()).to.deep.equal(before);
  });
});
