import { expect } from 'chai';
import { bodies, ids } from '../support/examples.ts';
import { at, expectError } from './answer-rules.ts';
import { startCheckedService, type CheckedService } from './checked-service.ts';
import { closePosting, putPosting, putProfessional, unchanged } from './stories.ts';

type Reviewer = 'office' | 'otherOffice' | 'admin';
const { jobID: _jobID, ...withoutJob } = bodies.review;

describe('Reviewing a professional (4.9)', () => {
  let service: CheckedService;
  let count = 0;
  let professionalId: string;
  const post = (body: unknown, as: Reviewer = 'office', id = professionalId) =>
    service.send('POST', `/users/${id}/credentials/reviews`, { as, body });
  const shown = async () =>
    at((await service.send('GET', `/internal/professionals/${professionalId}`)).body, 'reviews');

  before(async () => {
    service = await startCheckedService();
    await putPosting(service);
    await putPosting(service, ids.otherPosting, { officeId: ids.otherOffice });
  });
  beforeEach(async () => {
    professionalId = `professional-${++count}`;
    await putProfessional(service, professionalId);
  });
  after(() => service.stop());

  it('counts each entry', async () => {
    expect(await post(bodies.review)).to.include({ status: 204, body: undefined });
    expect(await shown()).to.deep.equal({
      count: 1,
      endorsed: { prophylaxis: 1, 'x-rays': 1 },
      renounced: { scaling: 1 },
    });
  });

  it('again for the same job replaces the first', async () => {
    await post(bodies.review);
    expect((await post({ ...bodies.review, endorsed: ['scaling'], renounced: ['prophylaxis'] })).status).to.equal(204);
    expect(await shown()).to.deep.equal({ count: 1, endorsed: { scaling: 1 }, renounced: { prophylaxis: 1 } });
  });

  it('unchanged appends nothing', async () => {
    await post(bodies.review);
    await unchanged(service, async () => expect((await post(bodies.review)).status).to.equal(204));
  });

  it('without a job is a slot of its own', async () => {
    await post(bodies.review);
    await post({ ...withoutJob, endorsed: ['x-rays'] });
    await post({ ...withoutJob, jobID: null, endorsed: ['prophylaxis'] });
    expect(await shown()).to.deep.include({ count: 2, endorsed: { prophylaxis: 2, 'x-rays': 1 } });
  });

  it('of another office is another review', async () => {
    await post(bodies.review);
    await post(withoutJob, 'otherOffice');
    await post(withoutJob);
    expect(await shown()).to.deep.include({ count: 3, endorsed: { prophylaxis: 3, 'x-rays': 3 } });
  });

  it("by an administrator counts as the posting's office's, without a posting as one of its own", async () => {
    await post(bodies.review);
    await post({ ...bodies.review, endorsed: ['polishing'] }, 'admin');
    expect(await shown()).to.deep.include({ count: 1, endorsed: { polishing: 1 } });
    await post(withoutJob, 'admin');
    await post({ ...withoutJob, endorsed: ['polishing'] }, 'admin');
    expect(await shown()).to.deep.include({ count: 2, endorsed: { polishing: 2 } });
  });

  it('may name a closed posting', async () => {
    await putPosting(service, 'posting-closed');
    await closePosting(service, 'posting-closed');
    expect((await post({ ...bodies.review, jobID: 'posting-closed' })).status).to.equal(204);
  });

  it('needs no more than a profession and one entry', async () => {
    for (const body of [
      { profession: 'hygienist', endorsed: ['a'] },
      { profession: 'hygienist', renounced: ['a'] },
      { profession: 'dentist', endorsed: ['a'], renounced: null, specialty: null },
    ])
      expect((await post(body)).status).to.equal(204);
    expect(await shown()).to.deep.equal({ count: 1, endorsed: { a: 1 }, renounced: {} });
  });

  it('takes any identifier for an entry', async () => {
    await post({
      ...withoutJob,
      endorsed: ['__proto__', 'constructor', 'toString', '1'],
      renounced: ['hasOwnProperty'],
    });
    const endorsed = JSON.parse('{"__proto__":1,"constructor":1,"toString":1,"1":1}') as unknown;
    expect(await shown()).to.deep.equal({ count: 1, endorsed, renounced: { hasOwnProperty: 1 } });
    await post({ ...withoutJob, endorsed: ['a'], renounced: [] });
    expect(await shown()).to.deep.equal({ count: 1, endorsed: { a: 1 }, renounced: {} });
  });

  const many = Array.from({ length: 201 }, (_, index) => `entry-${index}`);
  const wrongs: readonly [string, unknown, RegExp][] = [
    ['no entry', { profession: 'x' }, /an entry in endorsed or renounced/],
    ['empty lists', { profession: 'x', endorsed: [], renounced: [] }, /an entry in endorsed or renounced/],
    [
      'an entry in both',
      { profession: 'x', endorsed: ['a', 'b'], renounced: ['b'] },
      /^body\/renounced must not repeat .*: b$/,
    ],
    ['an entry twice', { profession: 'x', endorsed: ['a', 'a'] }, /^body\/endorsed must not hold the same/],
    ['an entry renounced twice', { profession: 'x', renounced: ['a', 'a'] }, /^body\/renounced must not hold the same/],
    ['an entry that is no identifier', { profession: 'x', endorsed: ['a b'] }, /^body\/endorsed\/0 must be/],
    ['an entry that is null', { profession: 'x', endorsed: [null] }, /^body\/endorsed\/0 must be a string/],
    ['a list that is a text', { profession: 'x', endorsed: 'a' }, /^body\/endorsed must be an array/],
    ['too many entries', { profession: 'x', endorsed: many }, /^body\/endorsed must have at most 200/],
    ['no profession', { endorsed: ['a'] }, /^body\/profession is required/],
    ['an empty profession', { endorsed: ['a'], profession: '' }, /^body\/profession must/],
    ['a jobID that is no identifier', { profession: 'x', endorsed: ['a'], jobID: '' }, /^body\/jobID must be/],
    [
      'a jobId of another case',
      { profession: 'x', endorsed: ['a'], jobId: ids.posting },
      /must not have the member 'jobId'/,
    ],
  ];
  for (const [fault, body, message] of wrongs)
    it(`with ${fault} is a 400`, () => unchanged(service, async () => expectError(await post(body), 400, message)));

  it('takes 200 entries', async () => {
    expect((await post({ profession: 'x', endorsed: many.slice(0, 200) })).status).to.equal(204);
  });

  it('who is unknown is a 404', () =>
    unchanged(service, async () => {
      for (const as of ['office', 'admin'] as const)
        expectError(await post(withoutJob, as, 'unknown'), 404, /path\/id/);
    }));

  it('for a posting of another office, or unknown, is a 403 for an office', () =>
    unchanged(service, async () => {
      for (const jobID of [ids.otherPosting, 'unknown'])
        expectError(await post({ ...withoutJob, jobID }), 403, /body\/jobID/);
    }));

  it('for an unknown posting is a 404 for an administrator', () =>
    unchanged(service, async () =>
      expectError(await post({ ...withoutJob, jobID: 'unknown' }, 'admin'), 404, /body\/jobID/),
    ));
});
