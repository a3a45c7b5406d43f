import { expect } from 'chai';
import { ids, phoneNumbers } from '../support/examples.ts';
import { expectError, textAt } from './answer-rules.ts';
import { startCheckedService, type CheckedService } from './checked-service.ts';
import { putProfessional, unchanged, wrong } from './stories.ts';

const ann = { as: 'professional' } as const;
const bob = { as: 'otherProfessional' } as const;
const flow = { flow: 'phone_update_flow' };

/** What the operations that issue and take codes have in common, for each channel. */
const channels = [
  {
    channel: 'sms',
    issuePath: '/users/phone/codes',
    issueBody: { phoneNumber: phoneNumbers.wanted },
    status: 202,
    idMember: 'codeId',
    tokenMember: 'requestToken',
    answerPath: (id: string) => `/users/phone/codes/${id}/verify`,
  },
  {
    channel: 'mail',
    issuePath: '/mfa/flows',
    issueBody: flow,
    status: 201,
    idMember: 'flowId',
    tokenMember: 'token',
    answerPath: (id: string) => `/mfa/flows/${id}/challenges/otp_email`,
  },
] as const;

describe('One-time codes', () => {
  let service: CheckedService;

  before(async () => {
    service = await startCheckedService();
    await putProfessional(service);
    await putProfessional(service, ids.otherProfessional, { userId: ids.otherUser, email: 'bob@example.com' });
  });
  beforeEach(() => {
    service.clock.advance(61);
    service.failing.delivery = false;
  });
  after(() => service.stop());

  const inMinutes = (minutes: number) => new Date(service.clock.now().getTime() + minutes * 60_000).toISOString();

  for (const { channel, issuePath, issueBody, status, idMember, tokenMember, answerPath } of channels) {
    const issue = async (): Promise<{ id: string; code: string }> => {
      const answer = await service.send('POST', issuePath, { ...ann, body: issueBody });
      expect(answer.status, JSON.stringify(answer.body)).to.equal(status);
      return { id: textAt(answer.body, idMember), code: service.delivered.at(-1)?.code ?? '' };
    };
    const enter = (id: string, code: string, user: typeof ann | typeof bob = ann) =>
      service.send('POST', answerPath(id), { ...user, body: { code } });

    describe(`by ${channel}`, () => {
      it('have six digits and go where they should', async () => {
        const { code } = await issue();
        expect(code).to.match(/^\d{6}$/);
        const wanted =
          channel === 'sms'
            ? { channel, phoneNumber: phoneNumbers.wanted }
            : { channel, address: 'ann.lee@example.com' };
        expect(service.delivered.at(-1)?.to).to.deep.equal(wanted);
      });

      it('are told of with an id and an expiry in ten minutes, and no code', async () => {
        const answer = await service.send('POST', issuePath, { ...ann, body: issueBody });
        const id = textAt(answer.body, idMember);
        const challenge = channel === 'mail' ? { challenge: { kind: 'otp_email', sentTo: 'a***@example.com' } } : {};
        expect(answer.body).to.deep.equal({ [idMember]: id, expiresAt: inMinutes(10), ...challenge });
        expect(id).to.match(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
      });

      it('are turned into a token that lives ten minutes', async () => {
        const { id, code } = await issue();
        service.clock.advance(9);
        const answer = await enter(id, code);
        expect(answer.status).to.equal(200);
        expect(answer.body).to.deep.equal({
          [tokenMember]: textAt(answer.body, tokenMember),
          expiresAt: inMinutes(10),
        });
      });

      it('are dead when they were taken: 403', async () => {
        const { id, code } = await issue();
        await enter(id, code);
        await unchanged(service, async () => expectError(await enter(id, code), 403, /expired|no more/));
      });

      it('live ten minutes: then 403', async () => {
        const { id, code } = await issue();
        service.clock.advance(10);
        await unchanged(service, async () => expectError(await enter(id, code), 403, /expired|no more/));
      });

      it('take five attempts, the fifth wrong one a 400 still, then a 403 for the right code too', async () => {
        const { id, code } = await issue();
        for (let attempt = 1; attempt <= 5; attempt++)
          expectError(await enter(id, wrong(code)), 400, /^body\/code is wrong$/);
        expectError(await enter(id, wrong(code)), 403, /expired|no more/);
        expectError(await enter(id, code), 403, /expired|no more/);
      });

      it('are still taken at the fifth attempt', async () => {
        const { id, code } = await issue();
        for (let attempt = 1; attempt <= 4; attempt++) await enter(id, wrong(code));
        expect((await enter(id, code)).status).to.equal(200);
      });

      it('of another user are a 404 that counts no attempt', async () => {
        const { id, code } = await issue();
        await unchanged(service, async () => {
          for (let attempt = 1; attempt <= 6; attempt++)
            expectError(await enter(id, attempt === 6 ? code : wrong(code), bob), 404, /code/);
        });
        expect((await enter(id, code)).status).to.equal(200);
      });

      it('that are unknown, or of the other way, are a 404', async () => {
        const { id, code } = await issue();
        const other = channels.find((one) => one.channel !== channel);
        await unchanged(service, async () => {
          expectError(await enter('unknown', code), 404, /code/);
          expectError(await service.send('POST', other?.answerPath(id) ?? '', { ...ann, body: { code } }), 404, /code/);
        });
      });

      it('are a 400 when they are not six digits, which counts no attempt', async () => {
        const { id } = await issue();
        await unchanged(service, async () => {
          for (const code of ['', '12345', '1234567', '12345x', ' 12345', '１２３４５６', '12345\n', 123456, null])
            expectError(
              await service.send('POST', answerPath(id), { ...ann, body: { code } }),
              400,
              /^body\/code (?:must be|is required)/,
            );
        });
      });

      it('are limited to five an hour, then 429 until the oldest is an hour old', async () => {
        for (let count = 1; count <= 5; count++) {
          await issue();
          service.clock.advance(1);
        }
        await unchanged(service, async () => {
          const refused = await service.send('POST', issuePath, { ...ann, body: issueBody });
          expectError(refused, 429, /Too many codes/);
          expect(refused.headers.get('Retry-After')).to.equal(String(55 * 60));
        });
        service.clock.advance(55);
        await issue();
        expectError(await service.send('POST', issuePath, { ...ann, body: issueBody }), 429, /Too many codes/);
      });

      it('that cannot be delivered are a 503 with Retry-After, void, and count', async () => {
        const before = await service.head();
        service.failing.delivery = true;
        for (let count = 1; count <= 5; count++) {
          const answer = await service.send('POST', issuePath, { ...ann, body: issueBody });
          expectError(answer, 503, /could not be delivered/);
        }
        service.failing.delivery = false;
        expectError(await service.send('POST', issuePath, { ...ann, body: issueBody }), 429, /Too many codes/);
        const events = await service.app.eventStore.readAll(before, 100);
        const codeId = events.find(({ type }) => type === 'CodeIssued')?.data['codeId'];
        expectError(await enter(typeof codeId === 'string' ? codeId : '', '123456'), 403, /expired|no more/);
      });

      it('are answered once where the same Idempotency-Key comes again, with the same token', async () => {
        const { id, code } = await issue();
        const request = { ...ann, body: { code }, headers: { 'Idempotency-Key': `answer-${id}` } };
        const first = await service.send('POST', answerPath(id), request);
        const again = await service.send('POST', answerPath(id), request);
        expect(again).to.deep.include({ status: 200, body: first.body });
      });
    });
  }

  it('by SMS are a 400 with what cannot be a number', async () => {
    await unchanged(service, async () => {
      for (const phoneNumber of ['', 'x', '12', '+1', '\t', 'a'.repeat(200)])
        expectError(
          await service.send('POST', '/users/phone/codes', { ...ann, body: { phoneNumber } }),
          400,
          /^body\/phoneNumber must/,
        );
    });
  });

  it('by mail are a 400 for another flow', async () => {
    for (const body of [{ flow: 'other' }, { flow: 'PHONE_UPDATE_FLOW' }, { flow: '' }, {}])
      expectError(await service.send('POST', '/mfa/flows', { ...ann, body }), 400, /^body\/flow /);
  });

  it('by mail are a 409 for a user without a known mail address', async () => {
    await putProfessional(service, 'professional-cid', { userId: 'user-cid', email: null });
    await unchanged(service, async () => {
      expectError(await service.send('POST', '/mfa/flows', { as: 'nobody', body: flow }), 409, /mail address/);
    });
  });

  it('by SMS and by mail count together', async () => {
    for (const { issuePath, issueBody } of [...channels, ...channels])
      await service.send('POST', issuePath, { ...ann, body: issueBody });
    await service.send('POST', '/mfa/flows', { ...ann, body: flow });
    for (const { issuePath, issueBody } of channels)
      expectError(await service.send('POST', issuePath, { ...ann, body: issueBody }), 429, /Too many codes/);
    expect((await service.send('POST', '/mfa/flows', { ...bob, body: flow })).status).to.equal(201);
  });
});
