import { expect } from 'chai';
import { bodies, claims, ids, times } from '../support/examples.ts';
import { at, expectError, rowsAt } from './answer-rules.ts';
import { bearer, startCheckedService, type CheckedService } from './checked-service.ts';
import { byMember, ordered } from './crowd.ts';
import { apply, change, closePosting, putFacts, putPosting } from './stories.ts';

const path = '/professionals/candidates';
const statuses = ['applied', 'scheduled', 'interviewed', 'hired', 'closed'] as const;
const categoryOf = (status: string) => (['hired', 'closed'].includes(status) ? 'archived' : 'active');

/** GET /professionals/candidates (interface specification, 4.7). */
describe("A professional's own candidates", () => {
  let service: CheckedService;
  let appliedAt: string;
  const list = (query: string, as: 'professional' | 'otherProfessional' = 'professional') =>
    service.send('GET', `${path}?${query}`, { as });
  const rows = async (query: string) => rowsAt((await list(query)).body, 'data');

  before(async () => {
    service = await startCheckedService();
    await putFacts(service);
    for (const [index, move] of [
      undefined,
      'scheduled',
      'interviewed',
      'hired',
      'rejected',
      undefined,
      undefined,
    ].entries()) {
      const postingId = `posting-${index}`;
      await putPosting(service, postingId);
      const id = await apply(service, claims.professional, postingId);
      if (index % 2 === 0) service.clock.advance(1);
      const interviewAt = times.interview;
      if (move)
        await change(service, id, { officeStatus: move, ...(move === 'scheduled' ? { interviewAt } : {}) }, postingId);
    }
    await closePosting(service, 'posting-6');
    await apply(service, claims.otherProfessional);
    appliedAt = service.clock.now().toISOString();
  });
  after(() => service.stop());

  it('are shown with every member', async () => {
    const { officeId, title, profession, specialty, state, subProfession, salaryRange, schedule } = bodies.posting;
    expect((await list('category=active', 'otherProfessional')).body).to.deep.equal({
      data: [
        {
          id: 'b38c8ba9-0aff-5c36-bb0e-593d48e03050',
          postingId: ids.posting,
          professionalId: ids.otherProfessional,
          professionalName: null,
          professionalEmail: null,
          professionalPhone: null,
          resumeId: bodies.application.resumeId,
          appliedAt,
          createdAt: appliedAt,
          createdBy: ids.otherUser,
          updatedAt: appliedAt,
          updatedBy: ids.otherUser,
          professionalStatusUpdatedAt: appliedAt,
          hiringStatus: 'open',
          officeStatus: 'applied',
          professionalStatus: 'applied',
          onsiteInterviewId: null,
          isShortlisted: false,
          postingDetails: {
            id: ids.posting,
            officeId,
            officeName: bodies.office.officeName,
            postingTitle: title,
            professionType: profession,
            specialty,
            state,
            status: 'open',
            subProfession,
            salaryRange,
            schedule,
          },
        },
      ],
      pagination: { page: 1, pageSize: 15, total: 1 },
    });
  });

  it('have null for what a posting does not say', async () => {
    const body = { officeId: 'office-unknown', title: 'Bare', profession: 'dentist' };
    await service.send('PUT', '/internal/postings/posting-bare', { body });
    const claim = { sub: 'user-cid', professional_id: 'professional-cid' };
    await apply(service, claim, 'posting-bare');
    const answer = await service.send('GET', `${path}?category=active`, { headers: await bearer(claim) });
    expect(at(answer.body, 'data', 0, 'postingDetails')).to.deep.equal({
      id: 'posting-bare',
      officeId: 'office-unknown',
      officeName: null,
      postingTitle: 'Bare',
      professionType: 'dentist',
      specialty: null,
      state: null,
      status: 'open',
      subProfession: null,
      salaryRange: null,
      schedule: null,
    });
  });

  it('are those of the category, the newest application first, then by id', async () => {
    for (const category of ['active', 'archived']) {
      const found = await rows(`category=${category}`);
      expect(found.map(({ professionalStatus }) => categoryOf(String(professionalStatus))))
        .to.include(category)
        .and.not.to.include(category === 'active' ? 'archived' : 'active');
      expect(found.map(({ id }) => id)).to.deep.equal(ordered(found, byMember('appliedAt'), false));
    }
  });

  for (const status of statuses)
    it(`of the status ${status} are in ${categoryOf(status)}, and a 400 in the other category`, async () => {
      const { body } = await list(`category=${categoryOf(status)}&status=${status}`);
      const found = rowsAt(body, 'data').map(({ professionalStatus }) => professionalStatus);
      const wanted = Array<string>({ applied: 2, scheduled: 1, interviewed: 1, hired: 1, closed: 2 }[status]).fill(
        status,
      );
      expect(found).to.deep.equal(wanted);
      expect(at(body, 'pagination', 'total')).to.equal(wanted.length);
      const other = categoryOf(status) === 'active' ? 'archived' : 'active';
      expectError(
        await list(`category=${other}&status=${status}`),
        400,
        /^query\/status must be one of .* in the category/,
      );
    });

  it('in pages neither overlap nor skip', async () => {
    const paged = [...(await rows('category=active&pageSize=2')), ...(await rows('category=active&pageSize=2&page=2'))];
    expect(paged)
      .to.deep.equal(await rows('category=active'))
      .and.to.have.lengthOf(4);
    const past = (await list('category=active&pageSize=2&page=3')).body;
    expect(past).to.deep.equal({ data: [], pagination: { page: 3, pageSize: 2, total: 4 } });
  });

  it('are a 400 without a category, or with another', async () => {
    for (const query of [
      '',
      'category',
      'category=',
      'category=all',
      'category=Active',
      'category=%20active',
      'category=activ',
      'category=active,archived',
      'category[]=active',
    ])
      expectError(await list(query), 400, /^query\/category (?:must be one of active, archived|is required)/);
    expectError(await list('category=active&category=active'), 400, /twice/);
  });

  it('are a 400 with a status that is none', async () => {
    for (const query of ['status=rejected', 'status=', 'status=open'])
      expectError(await list(`category=active&${query}`), 400, new RegExp(`^query/${query.split('=')[0]} must be`));
  });

  it('are no other professional’s', async () => {
    const found = rowsAt((await list('category=active&pageSize=100', 'otherProfessional')).body, 'data');
    expect(found.map(({ professionalId }) => professionalId)).to.deep.equal([ids.otherProfessional]);
  });

  it('have a professionalStatusUpdatedAt that moves with the professional status alone', async () => {
    const mover = { sub: 'user-moves', professional_id: 'professional-moves' };
    const headers = await bearer(mover);
    await putPosting(service, 'posting-moves');
    const applied = service.clock.now().toISOString();
    const id = await apply(service, mover, 'posting-moves');
    const shown = async () => at((await service.send('GET', `${path}?category=active`, { headers })).body, 'data', 0);
    service.clock.advance(1);
    await change(service, id, { isShortlisted: true }, 'posting-moves');
    expect(await shown()).to.include({
      professionalStatusUpdatedAt: applied,
      updatedAt: service.clock.now().toISOString(),
    });
    service.clock.advance(1);
    await change(service, id, { officeStatus: 'interviewed' }, 'posting-moves');
    expect(await shown()).to.include({ professionalStatusUpdatedAt: service.clock.now().toISOString() });
  });
});
