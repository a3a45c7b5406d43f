import { expect } from 'chai';
import { updatePhoneNumber } from '../../../commands/users/update-phone-number.ts';
import { phoneNumbers } from '../../support/examples.ts';
import { storeWith } from '../../support/facts.ts';
import { given, noContent } from '../../support/given.ts';
import { handlerOn, secrets, send, type Request } from '../../support/sending.ts';
import { accepted, deliveryFailed, issued, numberChanged } from './code-histories.ts';

const validUntil = '2026-03-02T09:15:00.000Z';
const smsAnswered = [issued('code-1'), accepted('code-1', validUntil)];
const mailAnswered = [issued('flow-1', { channel: 'mail' }), accepted('flow-1', validUntil)];

const legacy = (requestToken: string, more: Request = {}): Request => ({
  as: 'professional',
  body: { requestToken },
  ...more,
});
const multiFactor = (mfaToken: string | undefined, more: Request = {}): Request => ({
  as: 'professional',
  body: { phoneNumber: phoneNumbers.wanted },
  ...(mfaToken === undefined ? {} : { mfaToken }),
  ...more,
});
const token = { sms: secrets.tokenOf('code-1'), mail: secrets.tokenOf('flow-1') };

const badRequestToken = 'body/requestToken is not valid, or no longer';
const badHeader = 'The header X-Service-MFA-Token must hold a valid token of a completed phone_update_flow';

describe('updatePhoneNumber', () => {
  it('with a requestToken sets the number that its code was sent to', () =>
    given(...smsAnswered)
      .when(updatePhoneNumber, legacy(token.sms))
      .then([numberChanged('code-1')], noContent));

  it("with a flow's token sets the number of the body", () =>
    given(...mailAnswered)
      .when(updatePhoneNumber, multiFactor(token.mail, { body: { phoneNumber: phoneNumbers.other } }))
      .then([numberChanged('flow-1', phoneNumbers.other)], noContent));

  it('keeps the number in E.164', () =>
    given(...mailAnswered)
      .when(updatePhoneNumber, multiFactor(token.mail, { body: { phoneNumber: '(512) 555-0188' } }))
      .then([numberChanged('flow-1')], noContent));

  it('sets a number that is set already, for the token is used up', () =>
    given(...mailAnswered, issued('code-1'), accepted('code-1', validUntil), numberChanged('code-1'))
      .when(updatePhoneNumber, multiFactor(token.mail))
      .then([numberChanged('flow-1')], noContent));

  it('takes the legacy flow when the multi-factor flow is off', () =>
    given(...smsAnswered)
      .when(updatePhoneNumber, legacy(token.sms, { ports: { mfaPhoneUpdate: false } }))
      .then([numberChanged('code-1')], noContent));

  it('refuses a phoneNumber when the multi-factor flow is off', () =>
    given(...mailAnswered)
      .when(updatePhoneNumber, multiFactor(token.mail, { ports: { mfaPhoneUpdate: false } }))
      .thenRefused('invalid', 'body/phoneNumber cannot be sent: the multi-factor flow is not enabled'));

  it('takes a token until just before it expires', () =>
    given(...smsAnswered)
      .when(updatePhoneNumber, legacy(token.sms, { at: '2026-03-02T09:14:59.999Z' }))
      .then([numberChanged('code-1')], noContent));

  it('takes a token that belongs to one of several codes', () =>
    given(issued('code-0'), ...smsAnswered, issued('code-2'))
      .when(updatePhoneNumber, legacy(token.sms))
      .then([numberChanged('code-1')], noContent));

  for (const [name, body] of [
    ['both', { phoneNumber: phoneNumbers.wanted, requestToken: token.sms }],
    ['neither', {}],
    ['null for both', { phoneNumber: null, requestToken: null }],
  ] as const)
    it(`refuses a body with ${name}`, () =>
      given(...smsAnswered)
        .when(updatePhoneNumber, legacy(token.sms, { body }))
        .thenRefused('invalid', 'body must have either phoneNumber or requestToken'));

  for (const phoneNumber of ['', '12', 'call me', `${phoneNumbers.wanted}#7`])
    it(`refuses '${phoneNumber}', which cannot be a number`, () =>
      given(...mailAnswered)
        .when(updatePhoneNumber, multiFactor(token.mail, { body: { phoneNumber } }))
        .thenRefused(
          'invalid',
          'body/phoneNumber must be a phone number, best with its country code: +14155550123',
        ));
});

const expired = { at: validUntil };
const otherUser = { as: 'otherProfessional' } as const;

describe('the requestToken of updatePhoneNumber', () => {
  const refusals = {
    'that is empty': legacy(''),
    'that was never given out': legacy('code-1.guessed'),
    'that is only the id of its code': legacy('code-1'),
    'with a bit more at its end': legacy(`${token.sms}=`),
    'of a code that is not known': legacy(secrets.tokenOf('code-9')),
    'that has expired': legacy(token.sms, expired),
    "that is another user's": legacy(token.sms, otherUser),
    'that belongs in the header': legacy(token.mail),
  };
  for (const [name, request] of Object.entries(refusals))
    it(`is refused when it is one ${name}`, () =>
      given(...smsAnswered, ...mailAnswered)
        .when(updatePhoneNumber, request)
        .thenRefused('forbidden', badRequestToken));

  it('is refused the second time', () =>
    given(...smsAnswered, numberChanged('code-1'))
      .when(updatePhoneNumber, legacy(token.sms))
      .thenRefused('forbidden', badRequestToken));

  for (const [name, facts] of [
    ['answered', [issued('code-1')]],
    ['delivered', [issued('code-1'), deliveryFailed('code-1')]],
  ] as const)
    it(`is refused when its code was never ${name}`, () =>
      given(...facts)
        .when(updatePhoneNumber, legacy(token.sms))
        .thenRefused('forbidden', badRequestToken));

  it('is taken once when it comes many times at once, at two instances', async () => {
    const store = await storeWith(smsAnswered);
    const instances = [handlerOn(store), handlerOn(store)];
    const settled = await Promise.allSettled(
      Array.from({ length: 5 }, () =>
        instances.map((handle) => send(handle, updatePhoneNumber, legacy(token.sms))),
      ).flat(),
    );
    const taken = settled.filter(({ status }) => status === 'fulfilled').length;
    const changes = (await store.readStream('user-user-ann')).filter(
      ({ type }) => type === 'PhoneNumberChanged',
    );
    expect([taken, changes.length]).to.deep.equal([1, 1]);
  });
});

describe('the header X-Service-MFA-Token of updatePhoneNumber', () => {
  const refusals = {
    'is missing': multiFactor(undefined),
    'is empty': multiFactor(''),
    'was never given out': multiFactor('flow-1.guessed'),
    'has expired': multiFactor(token.mail, expired),
    "is another user's": multiFactor(token.mail, otherUser),
    'belongs in the body': multiFactor(token.sms),
  };
  for (const [name, request] of Object.entries(refusals))
    it(`is refused when it ${name}`, () =>
      given(...smsAnswered, ...mailAnswered)
        .when(updatePhoneNumber, request)
        .thenRefused('forbidden', badHeader));

  it('is refused the second time, with another number too', () =>
    given(...mailAnswered, numberChanged('flow-1'))
      .when(updatePhoneNumber, multiFactor(token.mail, { body: { phoneNumber: phoneNumbers.other } }))
      .thenRefused('forbidden', badHeader));

  it('is refused when the challenge was not answered', () =>
    given(issued('flow-1', { channel: 'mail' }))
      .when(updatePhoneNumber, multiFactor(token.mail))
      .thenRefused('forbidden', badHeader));
});
