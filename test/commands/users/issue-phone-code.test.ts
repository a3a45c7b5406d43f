import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import { issuePhoneCode } from '../../../commands/users/issue-phone-code.ts';
import { DomainError } from '../../../src/errors/domain-error.ts';
import { codes, ids, phoneNumbers } from '../../support/examples.ts';
import { storeWith, type Fact } from '../../support/facts.ts';
import { given } from '../../support/given.ts';
import { handlerOn, send, type Request } from '../../support/sending.ts';
import { delivered, deliveryFailed, issued, requested } from './code-histories.ts';

const ask: Request = { as: 'professional', body: { phoneNumber: phoneNumbers.wanted } };
const expiresAt = '2026-03-02T09:15:00.000Z';
const answered = { status: 202, body: { codeId: 'minted-1', expiresAt } };
const counted = requested('minted-1');
const minted = issued('minted-1', { expiresAt });
const failing = { codes: () => Promise.reject(new Error('The test lets deliveries fail')) };
const unavailable = 'The code could not be delivered';

describe('issuePhoneCode', () => {
  it('issues a code that lives ten minutes, and delivers it', () =>
    given()
      .when(issuePhoneCode, ask)
      .then([counted, minted, delivered('minted-1')], answered));

  it('sends the six digits to the new number, by SMS', async () => {
    const sent: unknown[] = [];
    const ports = { codes: (to: object, code: string) => Promise.resolve(void sent.push({ to, code })) };
    await send(handlerOn(await storeWith([])), issuePhoneCode, { ...ask, ports });
    expect(sent).to.deep.equal([{ to: { channel: 'sms', phoneNumber: phoneNumbers.wanted }, code: codes.right }]);
  });

  it('takes the number in any notation', () =>
    given()
      .when(issuePhoneCode, { ...ask, body: { phoneNumber: '(512) 555-0188' } })
      .then([counted, minted, delivered('minted-1')], answered));

  it('issues another code each time it is asked', () =>
    given(issued('code-1'), delivered('code-1'))
      .when(issuePhoneCode, ask)
      .then([counted, minted, delivered('minted-1')], answered));

  it('says when a code cannot be delivered; the code is void', () =>
    given()
      .when(issuePhoneCode, { ...ask, ports: failing })
      .thenRefused('unavailable', unavailable, {
        events: [counted, minted, deliveryFailed('minted-1')],
        retryAfter: 30,
      }));

  for (const phoneNumber of ['', '12', 'call me', `${phoneNumbers.wanted};ext=7`])
    it(`refuses '${phoneNumber}', which cannot be a number`, () =>
      given()
        .when(issuePhoneCode, { ...ask, body: { phoneNumber } })
        .thenRefused('invalid', 'body/phoneNumber must be a phone number, best with its country code: +14155550123'));

  it('refuses a request without a number', () =>
    given()
      .when(issuePhoneCode, { ...ask, body: { phoneNumber: null } })
      .thenRefused('invalid', 'body/phoneNumber is required'));

  const notACostlyOne = 'body/phoneNumber must not be a premium-rate, shared-cost or satellite number';
  for (const phoneNumber of ['(900) 555-0188', '+1 900 555 0188', '+44 843 555 0188', '+881 612 345 678'])
    it(`refuses ${phoneNumber}, to which a message costs too much`, () =>
      given()
        .when(issuePhoneCode, { ...ask, body: { phoneNumber } })
        .thenRefused('invalid', notACostlyOne));

  it('refuses a number outside of SMS_COUNTRIES, and takes one within', async () => {
    const ports = { smsCountries: ['CA', 'GB'] };
    await given()
      .when(issuePhoneCode, { ...ask, ports })
      .thenRefused('invalid', 'body/phoneNumber must be a number of one of the countries CA, GB');
    await given()
      .when(issuePhoneCode, { ...ask, ports: { smsCountries: ['US'] } })
      .then([counted, minted, delivered('minted-1')], answered);
  });

  it('refuses when the legacy flow is off', () =>
    given()
      .when(issuePhoneCode, { ...ask, ports: { legacyPhoneUpdate: false } })
      .thenRefused('forbidden', 'Changing the phone number by an SMS code alone is not enabled'));

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
      .then([counted, minted, delivered('minted-1')], answered));

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

  it('does not count codes of a clock that was a day ahead, which would keep the user out until then', () =>
    given(...[...four, 'code-5'].map((codeId) => issued(codeId, { at: '2026-03-03T09:00:00.000Z' })))
      .when(issuePhoneCode, ask)
      .then([counted, minted, delivered('minted-1')], answered));

  it('counts codes issued since that clock was set back, which are recorded at no earlier time than its own', async () => {
    const handle = handlerOn(await storeWith([issued('code-1', { at: '2026-03-03T09:00:00.000Z' })]));
    const issue = (last: number) =>
      send(handle, issuePhoneCode, {
        ...ask,
        body: { phoneNumber: `+1512555018${last}` },
        ports: { ids: { uuid: () => randomUUID(), code: () => codes.right } },
      });
    for (const last of [1, 2, 3, 4, 5]) await issue(last);
    const sixth = await issue(6).catch((error: unknown) => error);
    expect(sixth).to.be.instanceOf(DomainError).with.property('reason', 'too-many');
  });

  it('counts codes of a clock that was a little ahead', () =>
    given(...[...four, 'code-5'].map((codeId) => issued(codeId, { at: at('06') })))
      .when(issuePhoneCode, ask)
      .thenRefused('too-many', tooMany, { retryAfter: 61 * 60 }));

  const spread = ['00', '10', '20', '30', '40'].map((minute, index) => issued(`code-${index}`, { at: at(minute) }));

  it('refuses until an hour after the fifth last', () =>
    given(...spread)
      .when(issuePhoneCode, atTen('2026-03-02T09:59:59.999Z'))
      .thenRefused('too-many', tooMany, { retryAfter: 1 }));

  it('lets one through from an hour after the fifth last on', () =>
    given(...spread)
      .when(issuePhoneCode, atTen('2026-03-02T10:00:00.000Z'))
      .then([counted, issued('minted-1', { expiresAt: '2026-03-02T10:10:00.000Z' }), delivered('minted-1')], {
        status: 202,
        body: { codeId: 'minted-1', expiresAt: '2026-03-02T10:10:00.000Z' },
      }));

  it('tells each user apart', () =>
    given(...[...four, 'code-5'].map((codeId) => ({ ...issued(codeId), stream: `user-${ids.otherUser}` })))
      .when(issuePhoneCode, ask)
      .then([counted, minted, delivered('minted-1')], answered));

  it('does not count refused requests', async () => {
    const store = await storeWith(four.map((codeId) => issued(codeId)));
    const handle = handlerOn(store);
    const refusals = await Promise.allSettled(
      Array.from({ length: 5 }, () => send(handle, issuePhoneCode, { ...ask, body: { phoneNumber: '12' } })),
    );
    const { status } = await send(handle, issuePhoneCode, ask);
    expect([refusals.map((refusal) => refusal.status), status]).to.deep.equal([Array(5).fill('rejected'), 202]);
  });
});

describe('issuePhoneCode, five times an hour to a number', () => {
  const five = ['code-1', 'code-2', 'code-3', 'code-4', 'code-5'];
  const tooMany = 'Too many codes were sent to this number in the last hour';

  it('refuses the sixth, whichever users the five were for, and though no code was issued, as after a crash in between', () =>
    given(...five.map((codeId) => requested(codeId)))
      .when(issuePhoneCode, ask)
      .thenRefused('too-many', tooMany, { retryAfter: 55 * 60 }));

  it('lets one through from an hour after the fifth last on', () =>
    given(...five.map((codeId, index) => requested(codeId, { at: `2026-03-02T08:0${index + 1}:00.000Z` })))
      .when(issuePhoneCode, { ...ask, at: '2026-03-02T09:01:00.000Z' })
      .then([counted, issued('minted-1', { expiresAt: '2026-03-02T09:11:00.000Z' }), delivered('minted-1')], {
        status: 202,
        body: { codeId: 'minted-1', expiresAt: '2026-03-02T09:11:00.000Z' },
      }));

  it('tells each number apart, in whatever notation it comes', async () => {
    const ofOther = five.map((codeId) => requested(codeId, { number: phoneNumbers.other }));
    await given(...ofOther)
      .when(issuePhoneCode, ask)
      .then([counted, minted, delivered('minted-1')], answered);
    await given(...ofOther)
      .when(issuePhoneCode, { ...ask, body: { phoneNumber: '(512) 555-0199' } })
      .thenRefused('too-many', tooMany, { retryAfter: 55 * 60 });
  });

  it('does not count what is refused to the user', async () => {
    const store = await storeWith(five.map((codeId): Fact => issued(codeId)));
    const refused = await Promise.allSettled([send(handlerOn(store), issuePhoneCode, ask)]);
    const streams = (await store.readAll('0', 100)).map(({ stream }) => stream);
    expect(refused[0].status).to.equal('rejected');
    expect(streams.filter((stream) => stream.startsWith('phone-'))).to.deep.equal([]);
  });

  it('lets no more than five through when many users ask at once, at two instances', async () => {
    const store = await storeWith([]);
    const instances = [handlerOn(store), handlerOn(store)];
    const users = ['professional', 'otherProfessional', 'office', 'admin'] as const;
    let sent = 0;
    const deliver = () => {
      sent++;
      return Promise.resolve();
    };
    const asked = users.flatMap((as, user) =>
      instances.flatMap((handle, instance) =>
        [1, 2].map((number) =>
          send(handle, issuePhoneCode, {
            ...ask,
            as,
            ports: {
              ids: { uuid: () => `code-${user}-${instance}-${number}`, code: () => codes.right },
              codes: deliver,
            },
          }),
        ),
      ),
    );
    const settled = await Promise.allSettled(asked);
    expect(settled.filter(({ status }) => status === 'fulfilled')).to.have.length(5);
    expect(sent).to.equal(5);
  });

  it('leaves neither the number nor the code in the stream of the number', async () => {
    const store = await storeWith([]);
    await send(handlerOn(store), issuePhoneCode, ask);
    const events = (await store.readAll('0', 100)).filter(({ stream }) => stream.startsWith('phone-'));
    expect(events).to.have.length(1);
    const text = JSON.stringify(events);
    for (const secret of [phoneNumbers.wanted, phoneNumbers.wanted.slice(2), codes.right])
      expect(text).not.to.include(secret);
  });
});
