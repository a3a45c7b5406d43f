import { expect } from 'chai';
import { bodies, ids, times } from '../support/examples.ts';
import { at, expectError, rowsAt } from './answer-rules.ts';
import { bearer, startCheckedService, type CheckedService } from './checked-service.ts';
import {
  apply,
  change,
  closePosting,
  createCast,
  putCast,
  putOffice,
  putPosting,
  save,
  unsave,
  type Cast,
} from './stories.ts';

const nowhere = { distance: null, eta: null, roadDistance: null };

/** GET /postings/saved (interface specification, 4.6). */
describe('The saved postings', () => {
  let service: CheckedService;
  let cast: Cast;
  let count = 0;
  const list = async (query = '') =>
    service.send('GET', `/postings/saved${query}`, { headers: await bearer(cast.professional) });
  const saveOne = (id: string = cast.ids.posting) => save(service, id, cast.professional);
  const unsaveOne = (id: string = cast.ids.posting) => unsave(service, id, cast.professional);
  const first = async () => at((await list()).body, 'data', 0);
  const asOf = async () => at((await list()).body, 'metadata', 'asOf');
  const now = () => service.clock.now().toISOString();

  before(async () => {
    service = await startCheckedService();
  });
  beforeEach(() => {
    cast = createCast(++count);
    service.clock.advance(1);
  });
  after(() => service.stop());

  it('are none before the first save', async () => {
    expect((await list()).body).to.deep.equal({
      data: [],
      metadata: { asOf: null },
      pagination: { page: 1, pageSize: 15, total: 0 },
      summary: { within50MilesCount: 0, within100MilesCount: 0, within150MilesCount: 0, within200MilesCount: 0 },
    });
  });

  it('are shown with every member', async () => {
    const arrived = now();
    await putCast(service, cast);
    service.clock.advance(1);
    await saveOne();
    const { officeId: _office, state: _state, ...facts } = bodies.posting;
    expect((await list()).body).to.deep.equal({
      data: [
        {
          id: cast.ids.posting,
          ...facts,
          candidateStatus: null,
          candidateStatusUpdatedAt: null,
          createdAt: arrived,
          publishedAt: arrived,
          isSaved: true,
          onsiteInterviewsCount: 0,
          commute: { drive: { distance: 17.09, eta: 'PT33M', roadDistance: 22.22 } },
          offerOwner: { id: cast.ids.office, ...bodies.office },
        },
      ],
      metadata: { asOf: now() },
      pagination: { page: 1, pageSize: 15, total: 1 },
      summary: { within50MilesCount: 1, within100MilesCount: 1, within150MilesCount: 1, within200MilesCount: 1 },
    });
  });

  it('have null and [] for what no command said', async () => {
    await service.send('PUT', '/internal/postings/posting-bare', {
      body: { officeId: 'office-x', title: 'Bare', profession: 'dentist' },
    });
    const arrived = now();
    await saveOne('posting-bare');
    expect(await first()).to.deep.equal({
      id: 'posting-bare',
      title: 'Bare',
      description: null,
      profession: 'dentist',
      professionName: null,
      subProfession: null,
      subProfessionName: null,
      specialty: null,
      benefitsOther: null,
      candidateStatus: null,
      candidateStatusUpdatedAt: null,
      createdAt: arrived,
      publishedAt: arrived,
      benefits: [],
      procedures: [],
      isSaved: true,
      onsiteInterviewsCount: 0,
      salaryRange: null,
      schedule: null,
      commute: { drive: nowhere },
      offerOwner: { id: 'office-x', officeName: null, address: [], officeInfo: null },
    });
  });

  it('come with the newest save first, in pages that neither overlap nor skip', async () => {
    for (let index = 0; index < 7; index++) {
      await putPosting(service, `posting-${index}`);
      await saveOne(`posting-${index}`);
      if (index % 2 === 0) service.clock.advance(1);
    }
    await unsaveOne('posting-3');
    await saveOne('posting-3');
    const whole = rowsAt((await list()).body, 'data').map(({ id }) => id);
    expect(whole).to.deep.equal(['3', '5', '6', '4', '1', '2', '0'].map((n) => `posting-${n}`));
    const paged: unknown[] = [];
    for (let page = 1; page <= 4; page++)
      paged.push(...rowsAt((await list(`?pageSize=2&page=${page}`)).body, 'data').map(({ id }) => id));
    expect(paged).to.deep.equal(whole);
    expect((await list('?pageSize=2&page=5')).body).to.deep.include({
      data: [],
      pagination: { page: 5, pageSize: 2, total: 7 },
    });
    expect(rowsAt((await list('?pageSize=100')).body, 'data')).to.have.lengthOf(7);
  });

  it('are a 400 with a page given twice', async () => {
    expectError(await list('?page=1&page=2'), 400, /twice/);
  });

  it('say when the last event of the list was recorded', async () => {
    await putCast(service, cast);
    await putPosting(service, ids.otherPosting);
    const moments: [unknown, string][] = [];
    for (const act of [
      () => saveOne(),
      () => saveOne(ids.otherPosting),
      () => putOffice(service, cast.ids.office, { officeName: 'Renamed' }),
      () => unsaveOne(ids.otherPosting),
      () => unsaveOne(),
    ]) {
      service.clock.advance(1);
      await act();
      moments.push([await asOf(), now()]);
    }
    for (const [told, wanted] of moments) expect(told).to.equal(wanted);
  });

  it('do not count as newer when nothing of the list has changed', async () => {
    await putCast(service, cast);
    await saveOne();
    const before = await asOf();
    service.clock.advance(1);
    await saveOne();
    await unsaveOne('never-saved');
    await putPosting(service, 'another');
    expect(await asOf()).to.equal(before);
  });

  it('stay when the posting closes', async () => {
    await putCast(service, cast);
    await saveOne();
    const before = (await list()).body;
    await closePosting(service, cast.ids.posting);
    expect((await list()).body).to.deep.equal(before);
  });

  it("show the professional's own candidate and its interviews", async () => {
    await putCast(service, cast);
    await saveOne();
    const id = await apply(service, cast.professional, cast.ids.posting);
    const told = async () => {
      const row = await first();
      return [at(row, 'candidateStatus'), at(row, 'onsiteInterviewsCount'), at(row, 'candidateStatusUpdatedAt')];
    };
    expect(await told()).to.deep.equal(['applied', 0, now()]);
    for (const [body, status, interviews] of [
      [{ officeStatus: 'scheduled', interviewAt: times.interview }, 'scheduled', 1],
      [{ officeStatus: 'applied' }, 'applied', 0],
      [{ officeStatus: 'scheduled', interviewAt: times.interview }, 'scheduled', 1],
      [{ officeStatus: 'interviewed' }, 'interviewed', 1],
      [{ officeStatus: 'scheduled', interviewAt: times.otherInterview }, 'scheduled', 2],
      [{ officeStatus: 'hired' }, 'hired', 2],
    ] as const) {
      service.clock.advance(1);
      await change(service, id, body, cast.ids.posting);
      expect(await told()).to.deep.equal([status, interviews, now()]);
    }
  });
});
