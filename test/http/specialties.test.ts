import { expect } from 'chai';
import { bodies, ids } from '../support/examples.ts';
import { expectError } from './answer-rules.ts';
import { startCheckedService, type CheckedService } from './checked-service.ts';
import { putSpecialty, unchanged } from './stories.ts';

const [braces, aligners, retainers] = bodies.specialty.procedures;
const specialty = `/admin/credentials/specialties/${ids.specialty}`;
const path = `${specialty}/procedures/order`;
const admin = { as: 'admin' } as const;

describe('The procedures of a specialty (4.5)', () => {
  let service: CheckedService;
  const reorder = (procedure_ids: unknown) => service.send('PATCH', path, { ...admin, body: { procedure_ids } });
  const shown = async () => (await service.send('GET', specialty, admin)).body;

  before(async () => {
    service = await startCheckedService();
  });
  beforeEach(async () => {
    await putSpecialty(service, ids.specialty, { name: 'Reset' });
    await putSpecialty(service);
  });
  after(() => service.stop());

  it('come in the order of the PUT', async () => {
    expect(await shown()).to.deep.equal({ id: ids.specialty, ...bodies.specialty });
  });

  it('get the order of procedure_ids', async () => {
    const answer = await reorder(['retainers', 'braces', 'aligners']);
    expect(answer).to.deep.include({ status: 200, body: { message: 'Success' } });
    expect(await shown()).to.deep.equal({
      id: ids.specialty,
      name: 'Orthodontics',
      procedures: [retainers, braces, aligners],
    });
  });

  it('that are in the order already append nothing', async () => {
    await unchanged(service, async () =>
      expect((await reorder(['braces', 'aligners', 'retainers'])).status).to.equal(200),
    );
  });

  it('keep their order when the PUT comes again unchanged', async () => {
    await reorder(['retainers', 'braces', 'aligners']);
    await unchanged(service, () => putSpecialty(service));
    expect(await shown()).to.deep.include({ procedures: [retainers, braces, aligners] });
  });

  it('take the order of a PUT that changes anything', async () => {
    await reorder(['retainers', 'braces', 'aligners']);
    await putSpecialty(service, ids.specialty, { name: 'Other' });
    expect(await shown()).to.deep.equal({ id: ids.specialty, name: 'Other', procedures: bodies.specialty.procedures });
  });

  const faults: readonly [string, readonly string[], RegExp][] = [
    ['missing', ['retainers', 'braces'], /missing: aligners$/],
    ['unknown', ['retainers', 'braces', 'aligners', 'veneers'], /unknown: veneers$/],
    ['repeated', ['retainers', 'braces', 'aligners', 'braces'], /repeated: braces$/],
    ['all missing', [], /missing: braces, aligners, retainers$/],
    ['of another case', ['Retainers', 'braces', 'aligners'], /missing: retainers; unknown: Retainers$/],
  ];
  for (const [fault, order, message] of faults)
    it(`that are ${fault} are a 400 that names them`, () =>
      unchanged(service, async () => expectError(await reorder(order), 400, message)));

  it('are a 400 where they are no list of identifiers', () =>
    unchanged(service, async () => {
      for (const order of [
        undefined,
        null,
        'braces',
        {},
        [1],
        [null],
        ['a b'],
        [['braces']],
        Array.from({ length: 201 }, (_, n) => `p${n}`),
      ])
        expectError(await reorder(order), 400, /^body\/procedure_ids/);
    }));

  it('of an unknown specialty are a 404, to write and to read', () =>
    unchanged(service, async () => {
      const unknown = '/admin/credentials/specialties/unknown';
      const body = { procedure_ids: [] };
      expectError(await service.send('PATCH', `${unknown}/procedures/order`, { ...admin, body }), 404, /path\/id/);
      expectError(await service.send('GET', unknown, admin), 404, /path\/id/);
    }));

  it('may be none', async () => {
    await putSpecialty(service, 'specialty-empty', { procedures: [] });
    const { body } = await service.send('GET', '/admin/credentials/specialties/specialty-empty', admin);
    expect(body).to.deep.equal({ id: 'specialty-empty', name: 'Orthodontics', procedures: [] });
  });

  it('are a 400 in a PUT that repeats an id or lacks a member', () =>
    unchanged(service, async () => {
      const wrongs: readonly [object, RegExp][] = [
        [
          { ...bodies.specialty, procedures: [braces, { ...aligners, id: 'braces' }] },
          /must not repeat the ids braces$/,
        ],
        [{ name: 'X' }, /^body\/procedures is required$/],
        [{ procedures: [] }, /^body\/name is required$/],
        [{ name: '', procedures: [] }, /^body\/name must/],
        [{ name: 'X', procedures: [{ id: 'a' }] }, /^body\/procedures\/0/],
        [{ name: 'X', procedures: [{ name: 'a' }] }, /^body\/procedures\/0/],
        [{ name: 'X', procedures: [null] }, /^body\/procedures\/0 must be an object$/],
      ];
      for (const [body, message] of wrongs)
        expectError(await service.send('PUT', `/internal/specialties/${ids.specialty}`, { body }), 400, message);
    }));
});
