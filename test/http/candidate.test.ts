import { expect } from 'chai';
import { claims, ids, times } from '../support/examples.ts';
import { at, expectError, rowsAt } from './answer-rules.ts';
import { startCheckedService, type CheckedService } from './checked-service.ts';
import { apply, change, closePosting, putEverything, putPosting } from './stories.ts';

/** GET /postings/{postingId}/candidates/{candidateId} and GET /professionals/candidates/{candidateId}. */
describe('One candidate', () => {
  let service: CheckedService;
  let id: string;
  const byPosting = (candidateId: string, postingId: string = ids.posting) =>
    `/postings/${postingId}/candidates/${candidateId}`;
  const get = (path: string, as: keyof typeof claims) => service.send('GET', path, { as });

  before(async () => {
    service = await startCheckedService();
    id = await putEverything(service);
    service.clock.advance(1);
    await change(service, id, { officeStatus: 'scheduled', interviewAt: times.interview });
    service.clock.advance(1);
    await change(service, id, { officeStatus: 'scheduled', interviewAt: times.otherInterview });
    await change(service, id, { isShortlisted: true });
    service.clock.advance(1);
    await change(service, id, { officeStatus: 'applied' });
    service.clock.advance(1);
    await change(service, id, { officeStatus: 'scheduled', interviewAt: times.interview });
  });
  after(() => service.stop());

  const more = {
    interviewAt: times.interview,
    resumeId: 'resume-1',
    moves: [
      { officeStatus: 'applied', at: '2026-03-02T09:00:00.000Z' },
      { officeStatus: 'scheduled', at: '2026-03-02T09:01:00.000Z' },
      { officeStatus: 'applied', at: '2026-03-02T09:03:00.000Z' },
      { officeStatus: 'scheduled', at: '2026-03-02T09:04:00.000Z' },
    ],
  };

  it('is shown to its office and to administrators as in the list, with all its moves', async () => {
    const list = await get(`/postings/${ids.posting}/candidates`, 'office');
    const [row] = rowsAt(list.body, 'data');
    for (const as of ['office', 'admin'] as const)
      expect((await get(byPosting(id), as)).body).to.deep.equal({ ...row, ...more });
  });

  it('is shown to its professional as in the list, with all its moves', async () => {
    const list = await get('/professionals/candidates?category=active', 'professional');
    const [row] = rowsAt(list.body, 'data');
    const { body } = await get(`/professionals/candidates/${id}`, 'professional');
    expect(body).to.deep.equal({ ...row, ...more });
  });

  it('has no interview before there is one, and no move by the closing of the posting', async () => {
    await putPosting(service, ids.otherPosting);
    const other = await apply(service, claims.professional, ids.otherPosting);
    await closePosting(service, ids.otherPosting);
    const { body } = await get(byPosting(other, ids.otherPosting), 'office');
    expect(body).to.include({ interviewAt: null, hiringStatus: 'closed' });
    expect(at(body, 'moves')).to.deep.equal([{ officeStatus: 'applied', at: service.clock.now().toISOString() }]);
  });

  it('is refused as its change is', async () => {
    expectError(await get(byPosting(id), 'otherOffice'), 403, /not the office's/);
    expectError(await get(byPosting(id, 'unknown'), 'office'), 403, /not the office's/);
    expectError(await get(byPosting(id, 'unknown'), 'admin'), 404, /path\/postingId/);
    expectError(await get(byPosting('unknown'), 'office'), 404, /path\/candidateId/);
    expectError(await get(byPosting(id), 'professional'), 403, /no office_id/);
  });

  it('of another posting or professional is a 404', async () => {
    await putPosting(service, 'posting-without');
    expectError(await get(byPosting(id, 'posting-without'), 'admin'), 404, /path\/candidateId/);
    for (const candidateId of [id, 'unknown'])
      expectError(await get(`/professionals/candidates/${candidateId}`, 'otherProfessional'), 404, /path\/candidateId/);
  });
});
