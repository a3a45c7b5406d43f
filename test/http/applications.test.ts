import { expect } from 'chai';
import { bodies, claims, ids } from '../support/examples.ts';
import { expectError } from './answer-rules.ts';
import { startCheckedService, type CheckedService } from './checked-service.ts';
import { apply, closePosting, putPosting, unchanged } from './stories.ts';

const ann = { as: 'professional' } as const;

describe('Applying to a posting', () => {
  let service: CheckedService;
  let count = 0;
  let postingId: string;
  const path = () => `/postings/${postingId}/candidates`;

  before(async () => {
    service = await startCheckedService();
  });
  beforeEach(async () => {
    postingId = `posting-${++count}`;
    await putPosting(service, postingId);
  });
  after(() => service.stop());

  it('answers 201 with the id that posting and professional make', async () => {
    await putPosting(service);
    const answer = await service.send('POST', `/postings/${ids.posting}/candidates`, {
      ...ann,
      body: bodies.application,
    });
    expect(answer).to.deep.include({ status: 201, body: { id: '25a76336-26b6-57c0-b698-29495bc83f77' } });
  });

  it('again answers 200 with the same id and appends nothing, whatever the resumeId', async () => {
    const id = await apply(service, claims.professional, postingId);
    await unchanged(service, async () => {
      const answer = await service.send('POST', path(), { ...ann, body: { resumeId: 'another' } });
      expect(answer).to.deep.include({ status: 200, body: { id } });
    });
  });

  it('again after the posting closed is a 200 still', async () => {
    const id = await apply(service, claims.professional, postingId);
    await closePosting(service, postingId);
    const answer = await service.send('POST', path(), { ...ann, body: bodies.application });
    expect(answer).to.deep.include({ status: 200, body: { id } });
  });

  it('to a closed posting is a 409', async () => {
    await closePosting(service, postingId);
    await unchanged(service, async () => {
      expectError(await service.send('POST', path(), { ...ann, body: bodies.application }), 409, /closed/);
    });
  });

  it('to an unknown posting is a 404', () =>
    unchanged(service, async () => {
      expectError(
        await service.send('POST', '/postings/unknown/candidates', { ...ann, body: bodies.application }),
        404,
        /path\/postingId/,
      );
    }));

  it('without a valid resumeId is a 400', () =>
    unchanged(service, async () => {
      for (const body of [{}, { resumeId: null }, { resumeId: '' }, { resumeId: 'a/b' }, { resumeId: 1 }, undefined])
        expectError(await service.send('POST', path(), { ...ann, body }), 400, /^body\/resumeId/);
    }));
});
