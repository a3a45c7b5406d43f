import { expect } from 'chai';
import { bodies, ids } from '../support/examples.ts';
import { at, expectError } from './answer-rules.ts';
import { startCheckedService, type CheckedService } from './checked-service.ts';
import { putProfessional, unchanged } from './stories.ts';

const admin = { as: 'admin' } as const;
const pathOf = (userId: string) => `/admin/user/${userId}/job-notification-settings`;
const { contractor: _contractor, employee: _employee, ...days } = bodies.settings;

describe('Job notification settings (4.10)', () => {
  let service: CheckedService;
  let count = 0;
  let user: string;
  const put = (body: unknown, userId = user) => service.send('PUT', pathOf(userId), { ...admin, body });

  before(async () => {
    service = await startCheckedService();
  });
  beforeEach(async () => {
    user = `user-${++count}`;
    await putProfessional(service, `professional-${count}`, { userId: user });
  });
  after(() => service.stop());

  it('are answered as stored, and read back', async () => {
    expect(await put(bodies.settings)).to.deep.include({ status: 200, body: bodies.settings });
    expect(await service.send('GET', pathOf(user), admin)).to.deep.include({ status: 200, body: bodies.settings });
  });

  it('are null before they were set', async () => {
    const nothing = Object.fromEntries(Object.keys(bodies.settings).map((name) => [name, null]));
    expect((await service.send('GET', pathOf(user), admin)).body).to.deep.equal(nothing);
  });

  it('leave classifications that are left out, or null, as they were', async () => {
    expect((await put(days)).body).to.deep.equal({ ...days, contractor: null, employee: null });
    expect((await put({ ...days, contractor: true })).body).to.deep.equal({
      ...days,
      contractor: true,
      employee: null,
    });
    expect((await put({ ...days, employee: false, contractor: null })).body).to.deep.equal({
      ...days,
      contractor: true,
      employee: false,
    });
    expect((await put({ ...days, monday: false })).body).to.deep.equal({
      ...days,
      monday: false,
      contractor: true,
      employee: false,
    });
  });

  it('that are set already append nothing', async () => {
    await put(bodies.settings);
    await unchanged(service, async () => {
      expect(await put(bodies.settings)).to.deep.include({ status: 200, body: bodies.settings });
      expect(await put(days)).to.deep.include({ status: 200, body: bodies.settings });
    });
  });

  it('show with the professional', async () => {
    await put(bodies.settings);
    const { body } = await service.send('GET', `/internal/professionals/professional-${count}`);
    expect(at(body, 'jobNotifications')).to.deep.equal(days);
    expect(at(body, 'workerClassifications')).to.deep.equal({ contractor: true, employee: false });
  });

  it('stay with the user when a professional is of another user', async () => {
    await put(bodies.settings);
    await putProfessional(service, `professional-${count}`, { userId: ids.otherUser });
    const { body } = await service.send('GET', `/internal/professionals/professional-${count}`);
    expect(at(body, 'jobNotifications', 'monday')).to.equal(null);
    expectError(await put(bodies.settings), 404, /path\/userid/);
    expectError(await service.send('GET', pathOf(user), admin), 404, /path\/userid/);
  });

  for (const day of Object.keys(days))
    it(`are a 400 without a boolean for ${day}`, () =>
      unchanged(service, async () => {
        for (const value of [undefined, null, 'true', 1, 0, [], {}])
          expectError(
            await put({ ...bodies.settings, [day]: value }),
            400,
            new RegExp(`^body/${day} (?:must be true or false|is required)$`),
          );
      }));

  it('are a 400 with a classification that is no boolean', () =>
    unchanged(service, async () => {
      for (const name of ['contractor', 'employee'])
        for (const value of ['true', 1, [], {}])
          expectError(await put({ ...bodies.settings, [name]: value }), 400, new RegExp(`^body/${name} must be`));
    }));

  it('of an unknown user are a 404, to write and to read', () =>
    unchanged(service, async () => {
      expectError(await put(bodies.settings, 'unknown'), 404, /path\/userid/);
      expectError(await service.send('GET', pathOf('unknown'), admin), 404, /path\/userid/);
    }));

  it('are a 400 without a user id', () =>
    unchanged(service, async () => expectError(await put(bodies.settings, ''), 400, /^path\/userid must be/)));
});
