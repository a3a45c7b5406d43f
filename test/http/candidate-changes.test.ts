import { expect } from 'chai';
import { candidateIdOf } from '../../src/domain/candidate.ts';
import { ids, times } from '../support/examples.ts';
import { expectError, rowsAt } from './answer-rules.ts';
import { startCheckedService, type CheckedService } from './checked-service.ts';
import { apply, putPosting, unchanged } from './stories.ts';

/** PATCH /postings/{postingId}/candidates/{candidateId}: the moves of decisions, Candidate states. */
describe('Changing a candidate', () => {
  let service: CheckedService;
  let count = 0;
  let id: string;
  let professionalId: string;
  const statuses = ['applied', 'scheduled', 'interviewed', 'hired', 'rejected'] as const;
  type Status = (typeof statuses)[number];
  const allowed: Readonly<Record<Status, readonly Status[]>> = {
    applied: ['scheduled', 'interviewed', 'hired', 'rejected'],
    scheduled: ['applied', 'interviewed', 'hired', 'rejected'],
    interviewed: ['scheduled', 'hired', 'rejected'],
    hired: [],
    rejected: [],
  };
  const moveTo = (officeStatus: Status, interviewAt: string = times.interview) =>
    officeStatus === 'scheduled' ? { officeStatus, interviewAt } : { officeStatus };
  const patch = (
    body: unknown,
    as: 'office' | 'otherOffice' | 'admin' = 'office',
    candidateId = id,
    postingId: string = ids.posting,
  ) => service.send('PATCH', `/postings/${postingId}/candidates/${candidateId}`, { as, body });
  const shown = async () => {
    const { body } = await service.send('GET', `/admin/postings/${ids.posting}/candidates?pageSize=100`, {
      as: 'admin',
    });
    return rowsAt(body, 'data').find((row) => row['id'] === id) ?? {};
  };

  before(async () => {
    service = await startCheckedService();
    await putPosting(service);
  });
  beforeEach(async () => {
    professionalId = `professional-${++count}`;
    id = await apply(service, { sub: `user-${count}`, professional_id: professionalId });
    service.clock.advance(1);
  });
  after(() => service.stop());

  for (const from of statuses)
    for (const to of statuses.filter((status) => status !== from)) {
      const isAllowed = allowed[from].includes(to);
      it(`from ${from} to ${to} is ${isAllowed ? 'done' : 'a 409'}`, async () => {
        if (from !== 'applied') await patch(moveTo(from));
        if (isAllowed) {
          expect(await patch(moveTo(to))).to.include({ status: 204, body: undefined });
          expect(await shown()).to.include({
            officeStatus: to,
            updatedBy: ids.officeUser,
            updatedAt: service.clock.now().toISOString(),
          });
        } else
          await unchanged(service, async () =>
            expectError(await patch(moveTo(to)), 409, new RegExp(`${from} cannot become ${to}`)),
          );
      });
    }

  for (const status of statuses)
    it(`to ${status}, where it is, appends nothing`, async () => {
      if (status !== 'applied') await patch(moveTo(status));
      await unchanged(service, async () => expect((await patch(moveTo(status))).status).to.equal(204));
    });

  it('shows the statuses of the three sides', async () => {
    const told = async () => {
      const { hiringStatus, officeStatus, professionalStatus } = await shown();
      return [hiringStatus, officeStatus, professionalStatus];
    };
    expect(await told()).to.deep.equal(['open', 'applied', 'applied']);
    await patch(moveTo('scheduled'));
    expect(await told()).to.deep.equal(['open', 'scheduled', 'scheduled']);
    await patch(moveTo('applied'));
    expect(await told()).to.deep.equal(['open', 'applied', 'applied']);
    await patch(moveTo('interviewed'));
    expect(await told()).to.deep.equal(['open', 'interviewed', 'interviewed']);
    await patch(moveTo('hired'));
    expect(await told()).to.deep.equal(['hired', 'hired', 'hired']);
  });

  it('shows a rejected one as closed to the professional', async () => {
    await patch(moveTo('rejected'));
    expect(await shown()).to.include({
      hiringStatus: 'rejected',
      officeStatus: 'rejected',
      professionalStatus: 'closed',
    });
  });

  it('keeps the id of an interview through its holding and the hiring', async () => {
    expect(await shown()).to.include({ onsiteInterviewId: null });
    await patch(moveTo('scheduled'));
    const { onsiteInterviewId } = await shown();
    expect(onsiteInterviewId).to.match(/^[0-9a-f]{8}-[0-9a-f]{4}-7/);
    await patch(moveTo('scheduled', times.otherInterview));
    expect(await shown()).to.include({ onsiteInterviewId });
    await patch(moveTo('interviewed'));
    await patch(moveTo('hired'));
    expect(await shown()).to.include({ onsiteInterviewId });
  });

  it('drops the id with a cancellation, and mints another for the next interview', async () => {
    await patch(moveTo('scheduled'));
    const { onsiteInterviewId: first } = await shown();
    await patch(moveTo('applied'));
    expect(await shown()).to.include({ onsiteInterviewId: null });
    await patch(moveTo('interviewed'));
    expect((await shown())['onsiteInterviewId'])
      .to.be.a('string')
      .and.not.equal(first);
  });

  it('moves an interview to another time, and takes the same in another offset for no change', async () => {
    await patch(moveTo('scheduled'));
    await unchanged(service, async () => {
      for (const same of ['2026-03-10T15:00:00Z', '2026-03-10T10:00:00-05:00', '2026-03-10t16:00:00.000999+01:00'])
        expect((await patch(moveTo('scheduled', same))).status).to.equal(204);
    });
    const before = await service.head();
    await patch(moveTo('scheduled', times.otherInterview));
    expect((await service.app.eventStore.readAll(before, 10)).map(({ type }) => type)).to.deep.equal([
      'InterviewMoved',
    ]);
  });

  it('puts on the shortlist and off it, whatever the state, also beside a move', async () => {
    expect((await patch({ isShortlisted: true, ...moveTo('rejected') })).status).to.equal(204);
    expect(await shown()).to.include({ isShortlisted: true, officeStatus: 'rejected' });
    await unchanged(service, () => patch({ isShortlisted: true }));
    await patch({ isShortlisted: false }, 'admin');
    expect(await shown()).to.include({ isShortlisted: false, updatedBy: ids.admin });
  });

  it('with an impossible move changes nothing else either', async () => {
    await patch(moveTo('hired'));
    await unchanged(service, async () =>
      expectError(await patch({ isShortlisted: true, ...moveTo('applied') }), 409, /hired/),
    );
  });

  const wrongs: readonly [unknown, RegExp][] = [
    [{}, /officeStatus or isShortlisted/],
    [undefined, /officeStatus or isShortlisted/],
    [{ officeStatus: null, isShortlisted: null }, /officeStatus or isShortlisted/],
    [{ interviewAt: times.interview }, /officeStatus or isShortlisted/],
    [{ officeStatus: 'scheduled' }, /interviewAt must come/],
    [{ officeStatus: 'scheduled', interviewAt: null }, /interviewAt must come/],
    [{ officeStatus: 'hired', interviewAt: times.interview }, /interviewAt must come/],
    [{ isShortlisted: true, interviewAt: times.interview }, /interviewAt must come/],
    [{ officeStatus: 'closed' }, /one of applied, scheduled, interviewed, hired, rejected$/],
    [{ isShortlisted: 'true' }, /true or false/],
    ...[
      '',
      'tomorrow',
      '2026-03-10',
      '2026-03-10T15:00:00',
      '2026-02-30T15:00:00Z',
      '2026-03-10T24:00:00Z',
      '2026-03-10T15:60:00Z',
      '2026-03-10T15:00:00+24:00',
      '0000-01-01T00:00:00+01:00',
    ].map((interviewAt): [unknown, RegExp] => [
      { officeStatus: 'scheduled', interviewAt },
      /^body\/interviewAt must be an RFC 3339/,
    ]),
  ];
  for (const [body, message] of wrongs)
    it(`with ${JSON.stringify(body)} is a 400`, () =>
      unchanged(service, async () => expectError(await patch(body), 400, message)));

  it('of a posting of another office, or unknown, is a 403 for an office', () =>
    unchanged(service, async () => {
      expectError(await patch({ isShortlisted: true }, 'otherOffice'), 403, /not the office's/);
      expectError(await patch({ isShortlisted: true }, 'office', id, 'unknown'), 403, /not the office's/);
    }));

  it('of an unknown posting is a 404 for an administrator', () =>
    unchanged(service, async () =>
      expectError(await patch({ isShortlisted: true }, 'admin', id, 'unknown'), 404, /path\/postingId/),
    ));

  it('that is unknown, or of another posting, is a 404', async () => {
    await putPosting(service, ids.otherPosting);
    await unchanged(service, async () => {
      expectError(await patch({ isShortlisted: true }, 'office', 'unknown'), 404, /path\/candidateId/);
      expectError(await patch({ isShortlisted: true }, 'admin', id, ids.otherPosting), 404, /path\/candidateId/);
      const never = candidateIdOf(ids.posting, 'never-applied');
      expectError(await patch({ isShortlisted: true }, 'office', never), 404, /path\/candidateId/);
    });
  });
});
