import { expect } from 'chai';
import { bodies, ids } from '../support/examples.ts';
import { expectError } from './answer-rules.ts';
import { startCheckedService, type CheckedService } from './checked-service.ts';
import { closePosting, putOffice, putPosting, putProfessional, putSpecialty, unchanged } from './stories.ts';

const required: Readonly<Record<string, readonly string[]>> = {
  office: ['officeName'],
  professional: ['userId', 'firstName', 'lastName'],
  posting: ['officeId', 'title', 'profession'],
  specialty: ['name', 'procedures'],
};
const puts: readonly [string, string, Readonly<Record<string, unknown>>][] = [
  ['office', `/internal/offices/${ids.office}`, bodies.office],
  ['professional', `/internal/professionals/${ids.professional}`, bodies.professional],
  ['posting', `/internal/postings/${ids.posting}`, bodies.posting],
  ['specialty', `/internal/specialties/${ids.specialty}`, bodies.specialty],
];

describe('Facts that arrive', () => {
  let service: CheckedService;

  before(async () => {
    service = await startCheckedService();
  });
  after(() => service.stop());

  for (const [name, path, body] of puts) {
    it(`of a ${name} that come again unchanged append nothing, also after a restart and in another order`, async () => {
      expect(await service.send('PUT', path, { body })).to.include({ status: 204, body: undefined });
      const reversed = Object.fromEntries(Object.entries(body).reverse());
      await unchanged(service, async () => {
        expect((await service.send('PUT', path, { body: reversed })).status).to.equal(204);
        await service.restart();
        await service.ready();
        expect((await service.send('PUT', path, { body })).status).to.equal(204);
      });
    });

    it(`of a ${name} with a null member are as those without it`, async () => {
      const optional = Object.keys(body).filter((member) => !required[name]?.includes(member));
      const bare = Object.fromEntries(Object.entries(body).filter(([member]) => !optional.includes(member)));
      expect((await service.send('PUT', path, { body: bare })).status).to.equal(204);
      const nulls = { ...bare, ...Object.fromEntries(optional.map((member) => [member, null])) };
      await unchanged(service, async () =>
        expect((await service.send('PUT', path, { body: nulls })).status).to.equal(204),
      );
    });
  }

  it('with zero written as -0 are the same as before', async () => {
    const body = JSON.stringify({ ...bodies.professional, latitude: 0 }).replace('"latitude":0', '"latitude":-0.0');
    await service.send('PUT', `/internal/professionals/${ids.professional}`, { body });
    await unchanged(service, () => service.send('PUT', `/internal/professionals/${ids.professional}`, { body }));
  });

  it('without what is required are a 400', () =>
    unchanged(service, async () => {
      for (const [name, path, body] of puts) {
        for (const member of required[name] ?? [])
          for (const value of [undefined, null, ''])
            expectError(
              await service.send('PUT', path, { body: { ...body, [member]: value } }),
              400,
              new RegExp(`^body/${member}`),
            );
      }
    }));

  it('of a professional can be read back, with null for what was never set', async () => {
    await putProfessional(service);
    const days = {
      monday: null,
      tuesday: null,
      wednesday: null,
      thursday: null,
      friday: null,
      saturday: null,
      sunday: null,
    };
    expect((await service.send('GET', `/internal/professionals/${ids.professional}`)).body).to.deep.equal({
      id: ids.professional,
      ...bodies.professional,
      onboarding: { status: null, since: null },
      jobNotifications: days,
      workerClassifications: { contractor: null, employee: null },
      reviews: { count: 0, endorsed: {}, renounced: {} },
    });
    expectError(await service.send('GET', '/internal/professionals/unknown'), 404, /path\/id/);
  });

  it('of an office can be read back', async () => {
    await putOffice(service);
    const office = { id: ids.office, ...bodies.office };
    expect((await service.send('GET', `/internal/offices/${ids.office}`)).body).to.deep.equal(office);
    expectError(await service.send('GET', '/internal/offices/unknown'), 404, /path\/id/);
  });

  it('of a posting can be read back, with its status and when it first arrived', async () => {
    const read = async () => (await service.send('GET', '/internal/postings/read')).body;
    const publishedAt = service.clock.now().toISOString();
    const posting = { id: 'read', ...bodies.posting, status: 'open', publishedAt };
    await putPosting(service, 'read');
    expect(await read()).to.deep.equal(posting);
    service.clock.advance(1);
    await putPosting(service, 'read', { title: 'Another' });
    await closePosting(service, 'read');
    expect(await read()).to.deep.equal({ ...posting, title: 'Another', status: 'closed' });
    expectError(await service.send('GET', '/internal/postings/unknown'), 404, /path\/id/);
  });

  it('of a specialty leave the other specialties alone', async () => {
    await putSpecialty(service);
    await putSpecialty(service, 'specialty-other', { name: 'Other', procedures: [] });
    const { body } = await service.send('GET', `/admin/credentials/specialties/${ids.specialty}`, { as: 'admin' });
    expect(body).to.deep.equal({ id: ids.specialty, ...bodies.specialty });
  });
});
