import { expect } from 'chai';
import { days } from '../../src/schema/vocabulary.ts';
import { eventually } from '../support/eventually.ts';
import { bodies, claims, ids, times } from '../support/examples.ts';
import { at, expectError } from './answer-rules.ts';
import { startCheckedService, type CheckedService } from './checked-service.ts';
import { requestOf, writes, type Operation } from './operations.ts';
import { apply, putEverything, putOffice, unchanged } from './stories.ts';

type Headers = Readonly<Record<string, string>>;

interface Resource {
  readonly path: string;
  readonly as?: Operation['as'];
  readonly method: 'PUT' | 'PATCH';
  /** Each body changes what is there after the one before. */
  readonly body: (number: number) => Readonly<Record<string, unknown>>;
}
const interview = (number: number) => ({
  officeStatus: 'scheduled',
  interviewAt: new Date(Date.parse(times.interview) + number).toISOString(),
});
const settings = `/admin/user/${ids.user}/job-notification-settings`;

/** Those that are read at the path that they are written at. */
const resources = (candidateId: string): Readonly<Record<string, Resource>> => ({
  'a professional': {
    path: `/internal/professionals/${ids.professional}`,
    method: 'PUT',
    body: (number) => ({ ...bodies.professional, yearsOfExperience: number }),
  },
  'an office': {
    path: `/internal/offices/${ids.office}`,
    method: 'PUT',
    body: (number) => ({ ...bodies.office, officeName: `Office ${number}` }),
  },
  'a posting': {
    path: `/internal/postings/${ids.posting}`,
    method: 'PUT',
    body: (number) => ({ ...bodies.posting, title: `Title ${number}` }),
  },
  'a set of job notification settings': {
    path: settings,
    as: 'admin',
    method: 'PUT',
    body: (number) => Object.fromEntries(days.map((day, bit) => [day, (number >> bit) % 2 === 1])),
  },
  'a candidate, by its office,': {
    path: `/postings/${ids.posting}/candidates/${candidateId}`,
    as: 'office',
    method: 'PATCH',
    body: interview,
  },
  'a candidate, by an administrator,': {
    path: `/postings/${ids.posting}/candidates/${candidateId}`,
    as: 'admin',
    method: 'PATCH',
    body: interview,
  },
});

/** The names alone, known before there is a service. */
const names = Object.keys(resources(''));

describe('A write with preconditions', () => {
  let service: CheckedService;
  let all: Readonly<Record<string, Resource>>;
  let number = 0;

  before(async () => {
    service = await startCheckedService();
    all = resources(await putEverything(service));
  });
  after(() => service.stop());

  const resource = (name: string): Resource => all[name] ?? expect.fail(`There is no ${name}`);
  const read = ({ path, as }: Resource) => service.send('GET', path, as ? { as } : {});
  const etagOf = async (one: Resource): Promise<string> => (await read(one)).headers.get('ETag') ?? '';
  const write = (one: Resource, headers: Headers = {}, body = one.body(++number)) =>
    service.send(one.method, one.path, { ...(one.as ? { as: one.as } : {}), headers, body });
  const done = async (one: Resource, headers: Headers) =>
    expect((await write(one, headers)).status).to.be.oneOf([200, 204]);
  const refused = (one: Resource, headers: Headers, message: RegExp) =>
    unchanged(service, async () => expectError(await write(one, headers), 412, message));

  for (const name of names)
    describe(`of ${name}`, () => {
      let one: Resource;
      let etag: string;
      before(() => {
        one = resource(name);
      });
      beforeEach(async () => {
        etag = await etagOf(one);
      });

      it('is done where If-Match names what a read gives, and refused once another write came', async () => {
        await done(one, { 'If-Match': etag });
        await refused(one, { 'If-Match': etag }, /^The header If-Match names no ETag that a read gives now/);
      });

      it('is done once, where six come at once with one ETag', async () => {
        const before = (await service.app.eventStore.readAll('0', 10_000)).length;
        const bodies = Array.from({ length: 6 }, () => one.body(++number));
        const answers = await Promise.all(bodies.map((body) => write(one, { 'If-Match': etag }, body)));
        const statuses = answers.map(({ status }) => status).sort((a, b) => a - b);
        expect(statuses.slice(1)).to.deep.equal([412, 412, 412, 412, 412]);
        expect(statuses[0]).to.be.oneOf([200, 204]);
        expect(await service.app.eventStore.readAll('0', 10_000)).to.have.length(before + 1);
      });

      it('takes lists of ETags, and those that a proxy has made weak', async () => {
        await done(one, { 'If-Match': `"other", ,W/${etag}` });
        await done(one, { 'If-Match': '*' });
        await refused(one, { 'If-Match': '"other", W/"a,b"' }, /If-Match/);
      });

      it('is refused where If-None-Match names what is there', async () => {
        await refused(one, { 'If-None-Match': etag }, /^The header If-None-Match names what is there$/);
        await refused(one, { 'If-None-Match': `"other", W/${etag}` }, /If-None-Match/);
        await refused(one, { 'If-None-Match': '*' }, /If-None-Match/);
        await done(one, { 'If-Match': etag, 'If-None-Match': '"other"' });
      });
    });

  it('is compared with what the read-back shows of other streams too', async () => {
    const one = resource('a professional');
    const etag = await etagOf(one);
    const review = { ...bodies.review, endorsed: [`entry-${++number}`] };
    const path = `/users/${ids.professional}/credentials/reviews`;
    const { headers } = await service.send('POST', path, { as: 'office', body: review });
    // Another stream may be shown later than the one that is written.
    await service.send('GET', one.path, { headers: { 'Consistency-Token': headers.get('Consistency-Token') ?? '' } });
    await refused(one, { 'If-Match': etag }, /If-Match/);
  });

  it('creates what is not there, and nothing else, with If-None-Match: *', async () => {
    for (const name of ['a professional', 'an office', 'a posting']) {
      const one = { ...resource(name), path: `${resource(name).path}-new` };
      await refused(one, { 'If-Match': '*' }, /^The header If-Match names what is not there$/);
      await refused(one, { 'If-Match': '"other"' }, /^The header If-Match names what is not there$/);
      await done(one, { 'If-None-Match': '*' });
      await refused(one, { 'If-None-Match': '*' }, /If-None-Match/);
    }
  });

  for (const operation of writes.filter(({ allow }) => !/GET, (?:PUT|PATCH)/.test(allow)))
    it(`is refused for any ETag where nothing is read at its path: ${operation.name}`, () =>
      unchanged(service, async () => {
        const headers = { 'If-Match': '"any"' };
        const answer = await service.send(operation.method, operation.path, { ...requestOf(operation), headers });
        expectError(answer, 412, /^The header If-Match names (?:an ETag, but this operation|what is not)/);
      }));

  it('asks with * whether what is written is known, where nothing is read at its path', async () => {
    const specialty = { path: `/internal/specialties/${ids.specialty}-other`, method: 'PUT' } as const;
    const one: Resource = { ...specialty, body: (name) => ({ ...bodies.specialty, name: `Name ${name}` }) };
    await refused(one, { 'If-Match': '*' }, /what is not there/);
    await done(one, { 'If-None-Match': '*' });
    await refused(one, { 'If-None-Match': '*' }, /what is there/);
    await done(one, { 'If-Match': '*' });
  });

  it('is a 404 where what it changes is not there, whatever was to hold', async () => {
    const path = '/internal/professional-onboarding/nobody/status';
    const headers = { 'If-Match': '"any"' };
    expectError(await service.send('PATCH', path, { headers, body: { status: 'started' } }), 404, /path\/id/);
  });

  it('is refused as without them to who may not, and where it is not valid', () =>
    unchanged(service, async () => {
      const one = resource('a candidate, by its office,');
      const stale = { 'If-Match': '"stale"' };
      expectError(await write({ ...one, as: 'otherOffice' }, stale), 403, /not the office's/);
      expectError(await write(one, stale, { isShortlisted: 'yes' }), 400, /body\/isShortlisted/);
      const phone = { ...bodies.professional, phone: 'none' };
      expectError(await write(resource('a professional'), stale, phone), 400, /body\/phone/);
    }));

  it('is refused before a rule of the domain is asked', async () => {
    const path = `/postings/${ids.posting}/candidates/${await apply(service, claims.otherProfessional)}`;
    const one = { ...resource('a candidate, by its office,'), path };
    const etag = await etagOf(one);
    await service.send('PATCH', one.path, { as: 'office', body: { officeStatus: 'hired' } });
    const reject = { officeStatus: 'rejected' };
    expectError(await write(one, { 'If-Match': etag }, reject), 412, /If-Match/);
    expectError(await write(one, { 'If-Match': await etagOf(one) }, reject), 409, /hired/);
  });

  it('is a 400 where a header is neither * nor ETags', () =>
    unchanged(service, async () => {
      for (const header of ['If-Match', 'If-None-Match'])
        for (const value of ['', ',', 'abc', '"abc', '*, "a"', '"a" "b"', 'w/"a"', 'W/ "a"'])
          expectError(
            await write(resource('an office'), { [header]: value }),
            400,
            new RegExp(`^The header ${header} must be \\* or ETags`),
          );
    }));

  describe('and an Idempotency-Key', () => {
    it('is answered again as it was, though they hold no longer', async () => {
      const one = resource('an office');
      const headers = { 'If-Match': await etagOf(one), 'Idempotency-Key': 'kept' };
      const body = one.body(++number);
      expect((await write(one, headers, body)).status).to.equal(204);
      await unchanged(service, async () => expect((await write(one, headers, body)).status).to.equal(204));
    });

    it('is another request where they are others', async () => {
      const one = resource('an office');
      const body = one.body(++number);
      const under = (more: Headers) => write(one, { 'Idempotency-Key': 'others', ...more }, body);
      expect((await under({ 'If-Match': '*' })).status).to.equal(204);
      for (const more of [{}, { 'If-Match': '"a"' }, { 'If-None-Match': '*' }])
        expectError(await under(more), 422, /Idempotency-Key/);
    });

    it('keeps no refusal', async () => {
      const one = resource('an office');
      const body = one.body(++number);
      const headers = { 'If-Match': '"stale"', 'Idempotency-Key': 'refused' };
      expectError(await write(one, headers, body), 412, /If-Match/);
      const again = { 'If-Match': await etagOf(one), 'Idempotency-Key': 'refused' };
      expect((await write(one, again, body)).status).to.equal(204);
    });
  });

  it('is described', async () => {
    const { body } = await service.send('GET', '/openapi.json');
    const operation = ['paths', '/internal/offices/{id}', 'put'];
    expect(at(body, ...operation, 'responses', '412')).to.have.property('$ref');
    expect(JSON.stringify(at(body, ...operation, 'parameters'))).to.include('ETags of getOffice');
  });
});

describe('A write with the ETag of what is read back late', () => {
  let service: CheckedService;
  before(async () => {
    service = await startCheckedService();
    await putOffice(service);
  });
  after(() => service.stop());

  it('is a 503 with Retry-After until the read-back shows the last change', async () => {
    const path = `/internal/offices/${ids.office}`;
    const { headers } = await service.send('GET', path);
    const write = (number: number, more: Headers = {}) =>
      service.send('PUT', path, { headers: more, body: { ...bodies.office, officeName: `Office ${number}` } });
    const stale = { 'If-Match': headers.get('ETag') ?? '' };
    const operate = async (act: string, body?: object) =>
      expect(
        (await service.send('POST', `/admin/projections/professional-candidates/${act}`, { as: 'admin', body })).status,
      ).to.equal(200);

    await operate('pause', { confirm: 'professional-candidates' });
    let number = 0;
    await eventually('the projection stands still', async () => {
      await write(++number);
      return (await write(++number, stale)).status === 503;
    });
    const message = 'The projection professional-candidates is paused and has not reached the last change';
    expectError(await write(++number, stale), 503, new RegExp(`^${message}$`));

    await operate('resume');
    await eventually('the projection goes on', async () => (await service.send('GET', path)).status === 200);
    expectError(await write(++number, stale), 412, /If-Match/);
  });
});
