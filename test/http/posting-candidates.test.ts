import { expect } from 'chai';
import { bodies, claims, ids, phoneNumbers } from '../support/examples.ts';
import { at, expectError, rowsAt } from './answer-rules.ts';
import { startCheckedService, type CheckedService } from './checked-service.ts';
import { byMember, crowdSize, gatherCrowd, ordered } from './crowd.ts';
import { apply, putFacts, putPosting } from './stories.ts';

const lifeCycle = ['applied', 'scheduled', 'interviewed', 'hired', 'rejected'];
const tabs = { all: 11, applied: 3, scheduled: 2, interviewed: 2, hired: 2, rejected: 2 };

/** GET /postings/{postingId}/candidates (interface specification, 4.2). */
describe('The candidates of a posting', () => {
  let service: CheckedService;
  const list = (query = '', as: 'office' | 'otherOffice' | 'admin' = 'office', postingId: string = ids.posting) =>
    service.send('GET', `/postings/${postingId}/candidates${query}`, { as });
  const idsOf = async (query: string) => rowsAt((await list(query)).body, 'data').map(({ id }) => id);
  const everyone = async () => rowsAt((await list('?pageSize=100')).body, 'data');

  before(async () => {
    service = await startCheckedService();
    await putFacts(service);
    await gatherCrowd(service);
  });
  after(() => service.stop());

  it('are shown with every member, unknown ones null', async () => {
    await putPosting(service, 'posting-alone');
    const id = await apply(service, { sub: 'user-new', professional_id: 'professional-new' }, 'posting-alone');
    const now = service.clock.now().toISOString();
    expect((await list('', 'office', 'posting-alone')).body).to.deep.equal({
      data: [
        {
          id,
          appliedAt: now,
          createdAt: now,
          createdBy: 'user-new',
          updatedAt: now,
          updatedBy: 'user-new',
          hiringStatus: 'open',
          officeStatus: 'applied',
          isShortlisted: false,
          onsiteInterviewId: null,
          professionalId: 'professional-new',
          professionalName: null,
          professionalPicture: null,
          professionalStatus: 'applied',
          yearsOfExperience: null,
        },
      ],
      metadata: { tabs: { all: 1, applied: 1, hired: 0, interviewed: 0, rejected: 0, scheduled: 0 } },
      pagination: { page: 1, pageSize: 15, total: 1 },
    });
  });

  it('are shown with what is known of the professional, and nothing that is for administrators', async () => {
    await putPosting(service, 'posting-ann');
    await apply(service, claims.professional, 'posting-ann');
    const { body } = await list('', 'office', 'posting-ann');
    const { picture, yearsOfExperience, email } = bodies.professional;
    expect(at(body, 'data', 0)).to.include({
      professionalName: 'Ann Lee',
      professionalPicture: picture,
      yearsOfExperience,
    });
    expect(JSON.stringify(body)).not.to.include(phoneNumbers.profile).and.not.to.include(email);
  });

  it('have tabs whose sum is all', async () => {
    expect(at((await list()).body, 'metadata', 'tabs')).to.deep.equal(tabs);
    expect(crowdSize).to.equal(tabs.all);
  });

  for (const status of ['applied', 'scheduled', 'interviewed', 'hired', 'rejected'] as const)
    it(`are filtered by the status ${status}, and the tabs are not`, async () => {
      const { body } = await list(`?status=${status}`);
      const wanted = (await everyone()).filter(({ officeStatus }) => officeStatus === status).map(({ id }) => id);
      expect(rowsAt(body, 'data').map(({ id }) => id)).to.have.members(wanted);
      expect(at(body, 'pagination')).to.deep.equal({ page: 1, pageSize: 15, total: tabs[status] });
      expect(at(body, 'metadata', 'tabs')).to.deep.equal(tabs);
    });

  it('come with the shortlisted first, then the newest application, where nothing else is asked', async () => {
    const wanted = ordered(await everyone(), byMember('isShortlisted'), false);
    expect(await idsOf('')).to.deep.equal(wanted);
    const flags = (await everyone()).map(({ isShortlisted }) => isShortlisted);
    expect(flags).to.deep.equal([...Array<boolean>(4).fill(true), ...Array<boolean>(7).fill(false)]);
  });

  const orders = {
    status: byMember('officeStatus', lifeCycle),
    shortlist: byMember('isShortlisted'),
    hired: byMember('officeStatus', ['', 'hired']),
    createdAt: byMember('createdAt'),
    updatedAt: byMember('updatedAt'),
  };
  for (const [name, compare] of Object.entries(orders))
    for (const direction of ['ASC', 'DESC', 'asc', 'desc', undefined]) {
      const query = `orderBy=${name}${direction === undefined ? '' : `&orderDirection=${direction}`}`;
      const isAscending = direction?.toUpperCase() === 'ASC';
      it(`are ordered by ${query}, ties by the newest application and then the id`, async () => {
        expect(await idsOf(`?${query}`)).to.deep.equal(ordered(await everyone(), compare, isAscending));
      });
    }

  it('are ordered among those of a status too', async () => {
    const interviewed = (await everyone()).filter(({ officeStatus }) => officeStatus === 'interviewed');
    const wanted = ordered(interviewed, byMember('updatedAt'), true);
    expect(await idsOf('?status=interviewed&orderBy=updatedAt&orderDirection=ASC')).to.deep.equal(wanted);
  });

  for (const name of Object.keys(orders))
    for (const pageSize of [1, 2, 4])
      it(`by ${name} in pages of ${pageSize} neither overlap nor skip`, async () => {
        const whole = await idsOf(`?orderBy=${name}&orderDirection=ASC`);
        const paged: unknown[] = [];
        for (let page = 1; page <= Math.ceil(crowdSize / pageSize); page++)
          paged.push(...(await idsOf(`?orderBy=${name}&orderDirection=ASC&pageSize=${pageSize}&page=${page}`)));
        expect(paged).to.deep.equal(whole).and.to.have.lengthOf(crowdSize);
      });

  for (const page of ['2', '1000000', '2147483647'])
    it(`are none on page ${page}, past the end`, async () => {
      const { status, body } = await list(`?page=${page}`);
      expect(status).to.equal(200);
      expect(at(body, 'data')).to.deep.equal([]);
      expect(at(body, 'pagination')).to.deep.equal({ page: Number(page), pageSize: 15, total: 11 });
    });

  it('come at most 100 to a page', async () => {
    expect(at((await list('?pageSize=100')).body, 'pagination', 'pageSize')).to.equal(100);
    for (const pageSize of ['0', '101', '-1'])
      expectError(await list(`?pageSize=${pageSize}`), 400, /^query\/pageSize must be [<>]= /);
  });

  it('are a 400 with a parameter that is not one of its values', async () => {
    const wrongs = ['status=closed', 'status=', 'status=Applied', 'orderBy=name', 'orderBy=', 'orderDirection=up'];
    for (const query of wrongs)
      expectError(await list(`?${query}`), 400, new RegExp(`^query/${query.split('=')[0]} must be`));
  });

  it('are a 400 with a parameter given twice, and take no notice of an unknown one', async () => {
    for (const query of ['page=1&page=1', 'status=hired&status=applied', 'page=1&p%61ge=1'])
      expectError(await list(`?${query}`), 400, /twice$/);
    expect((await list('?unknown=1&unknown=2&Page=0&&=&%20=')).status).to.equal(200);
  });

  it('are for the office that owns the posting, and for administrators', async () => {
    expectError(await list('', 'otherOffice'), 403, /not the office's/);
    expect((await list('', 'admin')).body).to.deep.equal((await list('', 'office')).body);
  });

  it('of an unknown posting are a 403 for an office, and none for an administrator', async () => {
    expectError(await list('', 'office', 'unknown'), 403, /not the office's/);
    const none = { all: 0, applied: 0, hired: 0, interviewed: 0, rejected: 0, scheduled: 0 };
    const empty = { data: [], metadata: { tabs: none }, pagination: { page: 1, pageSize: 15, total: 0 } };
    expect((await list('', 'admin', 'unknown')).body).to.deep.equal(empty);
  });

  it('go to another office with the posting', async () => {
    await putPosting(service, 'posting-sold');
    await putPosting(service, 'posting-sold', { officeId: ids.otherOffice });
    expect((await list('', 'otherOffice', 'posting-sold')).status).to.equal(200);
    expectError(await list('', 'office', 'posting-sold'), 403, /not the office's/);
  });
});
