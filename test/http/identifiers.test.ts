import { expect } from 'chai';
import { runCli } from '../support/cli.ts';
import { bodies } from '../support/examples.ts';
import { bearer, startCheckedService, type CheckedService } from './checked-service.ts';
import { rowsAt, textAt } from './answer-rules.ts';

/** As issuers give them. */
const USER = 'auth0|5f7c8ec7c33c6c004bbafe82';
const PROFESSIONAL = 'ann+lee@example.com';
const [OFFICE, POSTING] = ['office=bright|1', 'posting@bright+2='];
const at = encodeURIComponent;

/** Identifiers with `|`, `@`, `+` and `=` (decisions, Identifiers). */
describe('Identifiers of other systems', () => {
  let service: CheckedService;
  const as = async (claims: Readonly<Record<string, unknown>>) => ({ headers: await bearer(claims) });
  const send = async (method: string, path: string, request: Parameters<CheckedService['send']>[2]) => {
    const answer = await service.send(method, path, request);
    expect(answer.status, `${method} ${path}: ${JSON.stringify(answer.body)}`).to.be.lessThan(300);
    return answer.body;
  };
  before(async () => {
    service = await startCheckedService();
    await send('PUT', `/internal/offices/${at(OFFICE)}`, { body: bodies.office });
    await send('PUT', `/internal/professionals/${at(PROFESSIONAL)}`, {
      body: { ...bodies.professional, userId: USER },
    });
    await send('PUT', `/internal/postings/${at(POSTING)}`, { body: { ...bodies.posting, officeId: OFFICE } });
  });
  after(() => service.stop());

  it('name users, professionals, offices and postings from the save to the hire', async () => {
    // Given an application and a saved posting of a professional
    const professional = await as({ sub: USER, professional_id: PROFESSIONAL });
    await send('POST', '/professionals/postings/save', { ...professional, body: { postingId: POSTING } });
    const applied = await send('POST', `/postings/${at(POSTING)}/candidates`, {
      ...professional,
      body: bodies.application,
    });
    // When the office hires
    const office = await as({ sub: 'user|office', office_id: OFFICE });
    const candidate = `/postings/${at(POSTING)}/candidates/${textAt(applied, 'id')}`;
    await send('PATCH', candidate, { ...office, body: { officeStatus: 'hired' } });
    // Then each finds it
    const [found] = rowsAt(await send('GET', `/postings/${at(POSTING)}/candidates`, office), 'data');
    expect(found).to.include({ professionalId: PROFESSIONAL, createdBy: USER, officeStatus: 'hired' });
    const saved = rowsAt(await send('GET', '/postings/saved', professional), 'data');
    expect(saved).to.have.length(1);
    const read = await send('GET', `/internal/professionals/${at(PROFESSIONAL)}`, {});
    expect(read).to.include({ id: PROFESSIONAL, userId: USER });
    // And analysts do
    for (const path of [
      `/history/entities/user/${at(USER)}`,
      `/history/entities/posting/${at(POSTING)}`,
      `/history/read-models/saved-postings/${at(PROFESSIONAL)}`,
      `/history/read-models/saved-postings/rows/${at(`${PROFESSIONAL}/${POSTING}`)}/explanation`,
      `/history/events?entity=${at(`professional:${PROFESSIONAL}`)}`,
    ])
      await send('GET', path, { as: 'analyst' });
  });

  it('are taken as they stand in a path that needs no escapes there', async () => {
    const { status } = await fetch(`${service.url}/internal/professionals/ann+lee@example.com`, {
      headers: { 'X-API-Key': 'test-internal-key' },
    });
    expect(status).to.equal(200);
  });

  it('are taken at the command line, and a colon is not', async () => {
    const { code, stdout } = await runCli('/nowhere', ['history', 'search', '--entity', `user:${USER}`]);
    expect([code, stdout]).to.deep.equal([2, '']);
    const refused = await runCli('/nowhere', ['history', 'search', '--entity', 'user:auth0:1']);
    expect(refused.stderr).to.include('must be <kind>:<id>');
  });
});
