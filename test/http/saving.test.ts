import { expect } from 'chai';
import { ids, times } from '../support/examples.ts';
import { at, expectError } from './answer-rules.ts';
import { startCheckedService, type CheckedService } from './checked-service.ts';
import { closePosting, putPosting, save, unchanged, unsave } from './stories.ts';

const ann = { as: 'professional' } as const;

describe('Saving a posting (4.3)', () => {
  let service: CheckedService;
  const path = '/professionals/postings/save';
  const list = async () => at((await service.send('GET', '/postings/saved', ann)).body, 'pagination', 'total');

  before(async () => {
    service = await startCheckedService();
    await putPosting(service);
  });
  afterEach(() => unsave(service));
  after(() => service.stop());

  it('answers with when it was saved', async () => {
    const answer = await service.send('POST', path, { ...ann, body: { postingId: ids.posting } });
    expect(answer.status).to.equal(200);
    expect(answer.body).to.deep.equal({ postingId: ids.posting, isSaved: true, savedAt: times.start });
  });

  it('again is a success that appends nothing and keeps the time', async () => {
    const first = await service.send('POST', path, { ...ann, body: { postingId: ids.posting } });
    service.clock.advance(5);
    await unchanged(service, async () => {
      const again = await service.send('POST', path, { ...ann, body: { postingId: ids.posting } });
      expect(again).to.deep.include({ status: 200, body: first.body });
    });
  });

  it('after it was taken off has a new time', async () => {
    await save(service);
    await unsave(service);
    service.clock.advance(5);
    const { body } = await service.send('POST', path, { ...ann, body: { postingId: ids.posting } });
    expect(at(body, 'savedAt')).to.equal(service.clock.now().toISOString());
  });

  it('that is closed is a success', async () => {
    await putPosting(service, 'posting-closed');
    await closePosting(service, 'posting-closed');
    await save(service, 'posting-closed');
    expect(await list()).to.equal(1);
    await unsave(service, 'posting-closed');
  });

  it('that does not exist is a 404', () =>
    unchanged(service, async () => {
      expectError(await service.send('POST', path, { ...ann, body: { postingId: 'unknown' } }), 404, /body\/postingId/);
    }));

  it('without a valid postingId is a 400', () =>
    unchanged(service, async () => {
      for (const body of [
        {},
        { postingId: null },
        { postingId: '' },
        { postingId: 'a b' },
        { postingId: 5 },
        { postingId: '..' },
        undefined,
      ])
        expectError(await service.send('POST', path, { ...ann, body }), 400, /^body\/postingId/);
    }));
});

describe('Unsaving a posting', () => {
  let service: CheckedService;
  const path = '/professionals/postings/unsave';

  before(async () => {
    service = await startCheckedService();
    await putPosting(service);
  });
  after(() => service.stop());

  it('takes it off the list', async () => {
    await save(service);
    const answer = await service.send('POST', path, { ...ann, body: { postingId: ids.posting } });
    expect(answer).to.deep.include({ status: 200, body: { postingId: ids.posting, isSaved: false } });
    expect(at((await service.send('GET', '/postings/saved', ann)).body, 'data')).to.deep.equal([]);
  });

  it('that was never saved, or is unknown, is a success that appends nothing', () =>
    unchanged(service, async () => {
      for (const postingId of [ids.posting, 'unknown', '__proto__']) {
        const answer = await service.send('POST', path, { ...ann, body: { postingId } });
        expect(answer).to.deep.include({ status: 200, body: { postingId, isSaved: false } });
      }
    }));

  it('leaves the lists of others as they are', async () => {
    await save(service);
    await service.send('POST', path, { as: 'otherProfessional', body: { postingId: ids.posting } });
    expect(at((await service.send('GET', '/postings/saved', ann)).body, 'pagination', 'total')).to.equal(1);
  });

  it('without a valid postingId is a 400', () =>
    unchanged(service, async () => {
      for (const body of [{}, { postingId: 'x'.repeat(129) }, { postingId: ['a'] }])
        expectError(await service.send('POST', path, { ...ann, body }), 400, /^body\/postingId/);
    }));
});
