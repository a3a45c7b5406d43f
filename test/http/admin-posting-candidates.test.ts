import { expect } from 'chai';
import { bodies, claims, ids } from '../support/examples.ts';
import { at, expectError, rowsAt } from './answer-rules.ts';
import { startCheckedService, type CheckedService } from './checked-service.ts';
import { byMember, crowdSize, gatherCrowd, ordered } from './crowd.ts';
import { apply, putFacts, putPosting } from './stories.ts';

const officeCycle = ['applied', 'scheduled', 'interviewed', 'hired', 'rejected'];
const hiringCycle = ['open', 'hired', 'rejected', 'closed'];
const professionalCycle = ['applied', 'scheduled', 'interviewed', 'hired', 'closed'];

/** GET /admin/postings/{postingId}/candidates (interface specification, 4.4). */
describe('The candidates of a posting for administrators', () => {
  let service: CheckedService;
  const list = (query = '', postingId: string = ids.posting) =>
    service.send('GET', `/admin/postings/${postingId}/candidates${query}`, { as: 'admin' });
  const rows = async (query: string) => rowsAt((await list(query)).body, 'data');
  const everyone = () => rows('?pageSize=100');
  const names = async (name: string) =>
    (await rows(`?pageSize=100&name=${encodeURIComponent(name)}`)).map(({ professionalName }) => professionalName);

  before(async () => {
    service = await startCheckedService();
    await putFacts(service);
    await gatherCrowd(service);
  });
  after(() => service.stop());

  it('are shown with every member', async () => {
    await putPosting(service, 'posting-ann');
    const id = await apply(service, claims.professional, 'posting-ann');
    const now = service.clock.now().toISOString();
    expect((await list('', 'posting-ann')).body).to.deep.equal({
      data: [
        {
          id,
          postingId: 'posting-ann',
          appliedAt: now,
          createdAt: now,
          createdBy: ids.user,
          updatedAt: now,
          updatedBy: ids.user,
          hiringStatus: 'open',
          officeStatus: 'applied',
          isShortlisted: false,
          onsiteInterviewId: null,
          professionalId: ids.professional,
          professionalName: 'Ann Lee',
          professionalEmail: bodies.professional.email,
          professionalPhone: bodies.professional.phone,
          professionalStatus: 'applied',
        },
      ],
      page: 1,
      pageSize: 10,
      total: 1,
    });
  });

  it('have null for what is not known', async () => {
    await putPosting(service, 'posting-new');
    await apply(service, { sub: 'user-new', professional_id: 'professional-new' }, 'posting-new');
    const unknown = {
      professionalName: null,
      professionalEmail: null,
      professionalPhone: null,
      onsiteInterviewId: null,
    };
    expect(at((await list('', 'posting-new')).body, 'data', 0)).to.include(unknown);
  });

  it('come ten to a page, the newest application first, where nothing else is asked', async () => {
    const { body } = await list();
    expect(body).to.include({ page: 1, pageSize: 10, total: crowdSize });
    const wanted = ordered(await everyone(), byMember('appliedAt'), false).slice(0, 10);
    expect(rowsAt(body, 'data').map(({ id }) => id)).to.deep.equal(wanted);
  });

  const orders = {
    appliedAt: byMember('appliedAt'),
    createdAt: byMember('createdAt'),
    updatedAt: byMember('updatedAt'),
    professionalName: byMember('professionalName'),
    hiringStatus: byMember('hiringStatus', hiringCycle),
    officeStatus: byMember('officeStatus', officeCycle),
    professionalStatus: byMember('professionalStatus', professionalCycle),
    isShortlisted: byMember('isShortlisted'),
  };
  for (const [sortBy, compare] of Object.entries(orders)) {
    for (const sortOrder of ['asc', 'desc', 'ASC', 'DESC', undefined]) {
      const query = `sortBy=${sortBy}${sortOrder === undefined ? '' : `&sortOrder=${sortOrder}`}`;
      it(`are ordered by ${query}, ties by the newest application and then the id`, async () => {
        const found = (await rows(`?pageSize=100&${query}`)).map(({ id }) => id);
        expect(found).to.deep.equal(ordered(await everyone(), compare, sortOrder?.toLowerCase() === 'asc'));
      });
    }
    it(`by ${sortBy} in pages of 3 neither overlap nor skip`, async () => {
      const paged: unknown[] = [];
      for (let page = 1; page <= 4; page++)
        paged.push(...(await rows(`?sortBy=${sortBy}&sortOrder=asc&pageSize=3&page=${page}`)));
      expect(paged).to.deep.equal(await rows(`?sortBy=${sortBy}&sortOrder=asc&pageSize=100`));
    });
  }

  it('take sortOrder without sortBy', async () => {
    const found = (await rows('?pageSize=100&sortOrder=asc')).map(({ id }) => id);
    expect(found).to.deep.equal(ordered(await everyone(), byMember('appliedAt'), true));
  });

  const filters: readonly (readonly string[])[] = [
    ['applied'],
    ['hired', 'rejected'],
    ['scheduled', 'scheduled'],
    officeCycle,
  ];
  for (const statuses of filters)
    it(`are filtered by status=${statuses.join(',')}`, async () => {
      const wanted = (await everyone())
        .filter(({ officeStatus }) => statuses.includes(String(officeStatus)))
        .map(({ id }) => id);
      const { body } = await list(`?pageSize=100&status=${statuses.join(',')}`);
      expect(rowsAt(body, 'data').map(({ id }) => id)).to.deep.equal(wanted);
      expect(body).to.include({ total: wanted.length });
    });

  const searches: readonly [string, readonly string[]][] = [
    ['ann', ['Fay Annis', 'Ann Lee', 'Ann Lee']],
    ['ANN LEE', ['Ann Lee', 'Ann Lee']],
    ['n l', ['Ann Lee', 'Ann Lee']],
    ['an', ['Di van Dam', 'Fay Annis', 'Ann Lee', 'Ann Lee']],
    ['%', ["Cléo O'Neil_50%"]],
    ['_', ["Cléo O'Neil_50%"]],
    ['.', ['Eve St. John*']],
    ['*', ['Eve St. John*']],
    ["o'n", ["Cléo O'Neil_50%"]],
    ['CLÉO', ["Cléo O'Neil_50%"]],
    ['cle\u0301o', ["Cléo O'Neil_50%"]],
    ['MØLLER', ['Ida Møller']],
    ['😀', ['Jo 😀 Lee']],
    ['lee ann', []],
    ['A.n', []],
    ['annlee', []],
    ['\\', []],
    ['"', []],
    ['Lee; DROP TABLE x', []],
  ];
  for (const [name, wanted] of searches)
    it(`are found by the name ${name}, as literal text`, async () => {
      expect(await names(name)).to.have.members(wanted);
      expect((await list(`?pageSize=1&name=${encodeURIComponent(name)}`)).body).to.include({ total: wanted.length });
    });

  it('are all found by an empty name', async () => {
    expect(await names('')).to.have.lengthOf(crowdSize);
  });

  it('are filtered by name and status together, in pages', async () => {
    const wanted = (await everyone()).filter(
      ({ officeStatus, professionalName }) => /lee/i.test(String(professionalName)) && officeStatus !== 'applied',
    );
    const query = '?name=LEE&status=scheduled,interviewed,hired,rejected&pageSize=2';
    const paged = [
      ...(await rows(`${query}&page=1`)),
      ...(await rows(`${query}&page=2`)),
      ...(await rows(`${query}&page=3`)),
    ];
    expect(paged).to.deep.equal(wanted).and.to.have.lengthOf(4);
  });

  it('are a 400 with a parameter out of bounds', async () => {
    const wrongs = [
      'status=',
      'status=applied,',
      'status=,applied',
      'status=applied, hired',
      'status=open',
      'status=Applied',
      'sortBy=id',
      'sortBy=',
      'sortOrder=up',
      `name=${'x'.repeat(201)}`,
      'name=%00',
      'name=%1B',
    ];
    for (const query of wrongs)
      expectError(await list(`?${query}`), 400, new RegExp(`^query/${query.split('=')[0]} must `));
    for (const query of ['name=%ff', 'name=%']) expectError(await list(`?${query}`), 400, /percent-encoded/);
    expect((await list(`?name=${encodeURIComponent('😀'.repeat(200))}`)).status).to.equal(200);
  });

  it('are a 400 without a posting id', async () => {
    expectError(await list('', ''), 400, /^path\/postingId must be/);
  });

  it('of an unknown posting are none', async () => {
    expect((await list('', 'unknown')).body).to.deep.equal({ data: [], page: 1, pageSize: 10, total: 0 });
  });

  for (const page of ['3', '2147483647'])
    it(`are none on page ${page}, past the end`, async () => {
      expect((await list(`?page=${page}`)).body).to.deep.equal({
        data: [],
        page: Number(page),
        pageSize: 10,
        total: crowdSize,
      });
    });
});
