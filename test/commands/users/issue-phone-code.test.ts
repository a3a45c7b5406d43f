import { expect } from 'chai';
import { issuePhoneCode } from '../../../commands/users/issue-phone-code.ts';
import { codes, ids, phoneNumbers } from '../../support/examples.ts';
import { storeWith } from '../../support/facts.ts';
import { given } from '../../support/given.ts';
import { handlerOn, send, type Request } from '../../support/sending.ts';
import { delivered, deliveryFailed, issued } from './code-histories.ts';

const ask: Request = { as: 'professional', body: { phoneNumber: phoneNumbers.wanted } };
const expiresAt = '2026-03-02T09:15:00.000Z';
const answered = { status: 202, body: { codeId: 'minted-1', expiresAt } };
const minted = issued('minted-1', { expiresAt });
const failing = { codes: () => Promise.reject(new Error('The test lets deliveries fail')) };
const unavailable = 'The code could not be delivered';

describe('issuePhoneCode', () => {
  it('issues a code that lives ten minutes, and delivers it', () =>
    given()
      .when(issuePhoneCode, ask)
      .then([minted, delivered('minted-1')], answered));

  it('sends the six digits to the new number, by SMS', async () => {
    const sent: unknown[] = [];
    const ports = { codes: (to: object, code: string) => Promise.resolve(void sent.push({ to, code })) };
    await send(handlerOn(await storeWith([])), issuePhoneCode, { ...ask, ports });
    expect(sent).to.deep.equal([
      { to: { channel: 'sms', phoneNumber: phoneNumbers.wanted }, code: codes.right },
    ]);
  });

  it('takes the number in any notation', () =>
    given()
      .when(issuePhoneCode, { ...ask, body: { phoneNumber: '(512) 555-0188' } })
      .then([minted, delivered('minted-1')], answered));

  it('issues another code each time it is asked', () =>
    given(issued('code-1'), delivered('code-1'))
      .when(issuePhoneCode, ask)
      .then([minted, delivered('minted-1')], answered));

  it('says when a code cannot be delivered; the code is void', () =>
    given()
      .when(issuePhoneCode, { ...ask, ports: failing })
      .thenRefused('unavailable', unavailable, {
        events: [minted, deliveryFailed('minted-1')],
        retryAfter: 30,
      }));

  for (const phoneNumber of ['', '12', 'call me', `${phoneNumbers.wanted};ext=7`])
    it(`refuses '${phoneNumber}', which cannot be a number`, () =>
      given()
        .when(issuePhoneCode, { ...ask, body: { phoneNumber } })
        .thenRefused(
          'invalid',
          'body/phoneNumber must be a phone number, best with its country code: +14155550123',
        ));

  it('refuses a request without a number', () =>
    given()
      .when(issuePhoneCode, { ...ask, body: { phoneNumber: null } })
      .thenRefused('invalid', 'body/phoneNumber is required'));

  it('refuses a request without a user', () =>
    given()
      .when(issuePhoneCode, { ...ask, as: undefined })
      .thenRefused('unauthenticated', 'The header Authorization must carry a bearer token'));
});

describe('issuePhoneCode, five times an hour', () => {
  const at = (minute: string) => `2026-03-02T09:${minute}:00.000Z`;
  const four = ['code-1', 'code-2', 'code-3', 'code-4'];
  const tooMany = 'Too many codes were issued in the last hour';
  const atTen = (time: string) => ({ ...ask, at: time });

  it('lets the fifth through', () =>
    given(...four.map((codeId) => issued(codeId)))
      .when(issuePhoneCode, ask)
      .then([minted, delivered('minted-1')], answered));

  it('refuses the sixth and says for how many seconds', () =>
    given(...[...four, 'code-5'].map((codeId) => issued(codeId)))
      .when(issuePhoneCode, ask)
      .thenRefused('too-many', tooMany, { retryAfter: 55 * 60 }));

  it('counts mail and SMS together', () =>
    given(...four.map((codeId) => issued(codeId)), issued('flow-1', { channel: 'mail' }))
      .when(issuePhoneCode, ask)
      .thenRefused('too-many', tooMany, { retryAfter: 55 * 60 }));

  it('counts deliveries that failed', () =>
    given(...[...four, 'code-5'].flatMap((codeId) => [issued(codeId), deliveryFailed(codeId)]))
      .when(issuePhoneCode, ask)
      .thenRefused('too-many', tooMany, { retryAfter: 55 * 60 }));

  it('refuses when the delivery would fail, without a code being made', () =>
    given(...[...four, 'code-5'].map((codeId) => issued(codeId)))
      .when(issuePhoneCode, { ...ask, ports: failing })
      .thenRefused('too-many', tooMany, { retryAfter: 55 * 60 }));

  const spread = ['00', '10', '20', '30', '40'].map((minute, index) =>
    issued(`code-${index}`, { at: at(minute) }),
  );

  it('refuses until an hour after the fifth last', () =>
    given(...spread)
      .when(issuePhoneCode, atTen('2026-03-02T09:59:59.999Z'))
      .thenRefused('too-many', tooMany, { retryAfter: 1 }));

  it('lets one through from an hour after the fifth last on', () =>
    given(...spread)
      .when(issuePhoneCode, atTen('2026-03-02T10:00:00.000Z'))
      .then([issued('minted-1', { expiresAt: '2026-03-02T10:10:00.000Z' }), delivered('minted-1')], {
        status: 202,
        body: { codeId: 'minted-1', expiresAt: '2026-03-02T10:10:00.000Z' },
      }));

  it('tells each user apart', () =>
    given(...[...four, 'code-5'].map((codeId) => ({ ...issued(codeId), stream: `user-${ids.otherUser}` })))
      .when(issuePhoneCode, ask)
      .then([minted, delivered('minted-1')], answered));

  it('does not count refused requests', async () => {
    const store = await storeWith(four.map((codeId) => issued(codeId)));
    const handle = handlerOn(store);
    const refusals = await Promise.allSettled(
      Array.from({ length: 5 }, () => send(handle, issuePhoneCode, { ...ask, body: { phoneNumber: '12' } })),
    );
    const { status } = await send(handle, issuePhoneCode, ask);
    expect([refusals.map((refusal) => refusal.status), status]).to.deep.equal([
      Array(5).fill('rejected'),
      202,
    ]);
  });

  it('lets no more than five through when they come at once', async () => {
    const handle = handlerOn(await storeWith([]));
    const settled = await Promise.allSettled(
      Array.from({ length: 8 }, (_, index) =>
        send(handle, issuePhoneCode, {
          ...ask,
          ports: { ids: { uuid: () => `code-${index}`, code: () => codes.right } },
        }),
      ),
    );
    expect(settled.filter(({ status }) => status === 'fulfilled')).to.have.length(5);
  });
});
