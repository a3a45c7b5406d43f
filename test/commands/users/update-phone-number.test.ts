import { expect } from 'chai';
import { updatePhoneNumber } from '../../../commands/users/update-phone-number.ts';
import { noticeDecider } from '../../../src/domain/notices.ts';
import type { Destination, PhoneChangeNoticeSender } from '../../../src/ports/message-sender.ts';
import { bodies, ids, phoneNumbers, times } from '../../support/examples.ts';
import { on, storeWith, type Fact } from '../../support/facts.ts';
import { given, noContent } from '../../support/given.ts';
import { handlerOn, keyed, secrets, send, type Request } from '../../support/sending.ts';
import { toProfessional, userNamed } from '../known.ts';
import { accepted, deliveryFailed, issued, numberChanged, requested } from './code-histories.ts';

const validUntil = '2026-03-02T09:15:00.000Z';
/** A day before the time of the command. */
const dayBefore = '2026-03-01T09:05:00.000Z';
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

  it('refuses a requestToken when the legacy flow is off, and takes the multi-factor flow', async () => {
    const ports = { legacyPhoneUpdate: false };
    await given(...smsAnswered)
      .when(updatePhoneNumber, legacy(token.sms, { ports }))
      .thenRefused('forbidden', 'Changing the phone number by an SMS code alone is not enabled');
    await given(...mailAnswered)
      .when(updatePhoneNumber, multiFactor(token.mail, { ports }))
      .then([numberChanged('flow-1')], noContent);
  });

  it('refuses a premium-rate number: its next owner would have messages sent there', () =>
    given(...mailAnswered)
      .when(updatePhoneNumber, multiFactor(token.mail, { body: { phoneNumber: '+1 900 555 0188' } }))
      .thenRefused('invalid', 'body/phoneNumber must not be a premium-rate, shared-cost or satellite number'));

  it('takes a number outside of SMS_COUNTRIES by the multi-factor flow, for no code goes there', () =>
    given(...mailAnswered)
      .when(updatePhoneNumber, multiFactor(token.mail, { ports: { smsCountries: ['GB'] } }))
      .then([numberChanged('flow-1')], noContent));

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
        .thenRefused('invalid', 'body/phoneNumber must be a phone number, best with its country code: +14155550123'));
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
        .thenRefused('not-verified', badRequestToken));

  it('is refused the second time', () =>
    given(...smsAnswered, numberChanged('code-1'))
      .when(updatePhoneNumber, legacy(token.sms))
      .thenRefused('not-verified', badRequestToken));

  for (const [name, facts] of [
    ['answered', [issued('code-1')]],
    ['delivered', [issued('code-1'), deliveryFailed('code-1')]],
  ] as const)
    it(`is refused when its code was never ${name}`, () =>
      given(...facts)
        .when(updatePhoneNumber, legacy(token.sms))
        .thenRefused('not-verified', badRequestToken));

  it('is taken once when it comes many times at once, at two instances', async () => {
    const store = await storeWith(smsAnswered);
    const instances = [handlerOn(store), handlerOn(store)];
    const settled = await Promise.allSettled(
      Array.from({ length: 5 }, () =>
        instances.map((handle) => send(handle, updatePhoneNumber, legacy(token.sms))),
      ).flat(),
    );
    const taken = settled.filter(({ status }) => status === 'fulfilled').length;
    const changes = (await store.readStream('user-user-ann')).filter(({ type }) => type === 'PhoneNumberChanged');
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
        .thenRefused('not-verified', badHeader));

  it('is refused the second time, with another number too', () =>
    given(...mailAnswered, numberChanged('flow-1'))
      .when(updatePhoneNumber, multiFactor(token.mail, { body: { phoneNumber: phoneNumbers.other } }))
      .thenRefused('not-verified', badHeader));

  it('is refused when the challenge was not answered', () =>
    given(issued('flow-1', { channel: 'mail' }))
      .when(updatePhoneNumber, multiFactor(token.mail))
      .thenRefused('not-verified', badHeader));
});

describe('a phone number that was changed', () => {
  const mail: Destination = { channel: 'mail', address: bodies.professional.email };
  const sms = (phoneNumber: string): Destination => ({ channel: 'sms', phoneNumber });
  const profileWith = (more: { email?: string | null; phone?: string | null }, at: string = times.start) =>
    toProfessional(
      { type: 'ProfessionalRecorded', data: { professionalId: ids.professional, ...bodies.professional, ...more } },
      { at },
    );

  const tellingIn =
    (told: Destination[]): PhoneChangeNoticeSender =>
    async (to, isDue) => {
      if (await isDue()) told.push(to);
    };

  /** Whom a change to `phoneNumbers.wanted` is told, after it was answered. */
  const toldOf = async (request: Request, ...facts: readonly Fact[]): Promise<readonly Destination[]> => {
    const told: Destination[] = [];
    const effects: Promise<unknown>[] = [];
    const ports = { ...request.ports, phoneChangeNotice: tellingIn(told) };
    const handle = handlerOn(await storeWith(facts), { onBackground: (effect) => effects.push(effect) });
    await send(handle, updatePhoneNumber, { ...request, ports });
    await Promise.all(effects);
    return told;
  };
  /** A profile whose number has stood for a day. */
  const known = [userNamed, profileWith({}, dayBefore)];

  it('is told to the old number and the mail address by the legacy flow', async () => {
    expect(await toldOf(legacy(token.sms), ...known, ...smsAnswered)).to.have.deep.members([
      sms(phoneNumbers.profile),
      mail,
    ]);
  });

  it('is told so by the multi-factor flow', async () => {
    expect(await toldOf(multiFactor(token.mail), ...known, ...mailAnswered)).to.have.deep.members([
      sms(phoneNumbers.profile),
      mail,
    ]);
  });

  it('is told to the number that the user had set, and to none before it', async () => {
    const before = [
      issued('code-0', { to: phoneNumbers.other }),
      accepted('code-0', validUntil),
      numberChanged('code-0', phoneNumbers.other),
    ];
    expect(await toldOf(legacy(token.sms), ...known, ...before, ...smsAnswered)).to.have.deep.members([
      sms(phoneNumbers.other),
      mail,
    ]);
  });

  it('is not told to a number that no code proved, until that has stood for a day', async () => {
    const unproved = (at: string) => [
      ...known,
      issued('flow-0', { channel: 'mail' }),
      accepted('flow-0', validUntil),
      numberChanged('flow-0', phoneNumbers.other, at),
      ...smsAnswered,
    ];
    expect(await toldOf(legacy(token.sms), ...unproved('2026-03-01T09:05:00.001Z'))).to.deep.equal([mail]);
    expect(await toldOf(legacy(token.sms), ...unproved(dayBefore))).to.have.deep.members([
      sms(phoneNumbers.other),
      mail,
    ]);
  });

  /** Notices of the hour before the command. */
  const noticed = (recipientHash: string, times: number): readonly Fact[] =>
    Array.from({ length: times }, () =>
      on(noticeDecider, recipientHash)(
        { type: 'NoticeRequested', data: { recipientHash } },
        { at: '2026-03-02T08:06:00.000Z' },
      ),
    );

  it('is told three times an hour to a number by SMS, whoever had it', async () => {
    const before = (times: number) => noticed(secrets.hashRecipient('number', phoneNumbers.profile), times);
    expect(await toldOf(legacy(token.sms), ...known, ...before(2), ...smsAnswered)).to.have.length(2);
    expect(await toldOf(legacy(token.sms), ...known, ...before(3), ...smsAnswered)).to.deep.equal([mail]);
  });

  it('is told three times an hour to a user', async () => {
    const before = (times: number) => noticed(secrets.hashRecipient('user', ids.user), times);
    expect(await toldOf(legacy(token.sms), ...known, ...before(2), ...smsAnswered)).to.have.length(2);
    expect(await toldOf(legacy(token.sms), ...known, ...before(3), ...smsAnswered)).to.deep.equal([]);
  });

  it('is told however many codes were issued, and does not count as one', async () => {
    const codes = Array.from({ length: 5 }, (_, index) => requested(`code-${index}`, { number: phoneNumbers.profile }));
    expect(await toldOf(legacy(token.sms), ...known, ...codes, ...smsAnswered)).to.have.length(2);
  });

  it('is told to the number of a newer profile', async () => {
    const before = [issued('code-0'), accepted('code-0', validUntil), numberChanged('code-0')];
    const newer = profileWith({ phone: phoneNumbers.other }, '2026-03-02T09:01:00.000Z');
    const request = legacy(token.sms, { at: '2026-03-03T09:01:00.000Z' });
    const answered = [issued('code-1'), accepted('code-1', '2026-03-03T09:15:00.000Z')];
    expect(await toldOf(request, ...known, ...before, newer, ...answered)).to.have.deep.members([
      sms(phoneNumbers.other),
      mail,
    ]);
  });

  it('is told by mail alone where there was no number', async () => {
    const facts = [userNamed, profileWith({ phone: null }), ...smsAnswered];
    expect(await toldOf(legacy(token.sms), ...facts)).to.deep.equal([mail]);
  });

  it('is told by SMS alone where no mail address is known', async () => {
    const facts = [userNamed, profileWith({ email: null }, dayBefore), ...smsAnswered];
    expect(await toldOf(legacy(token.sms), ...facts)).to.deep.equal([sms(phoneNumbers.profile)]);
  });

  it('is told to nobody where nothing was known before', async () => {
    expect(await toldOf(legacy(token.sms), ...smsAnswered)).to.deep.equal([]);
  });

  it('is told to nobody where the number is the same as before', async () => {
    const facts = [userNamed, profileWith({ phone: phoneNumbers.wanted }), ...smsAnswered];
    expect(await toldOf(legacy(token.sms), ...facts)).to.deep.equal([]);
  });

  it('is not told by SMS to a premium-rate number of a profile, or outside of SMS_COUNTRIES', async () => {
    const premium = [userNamed, profileWith({ phone: '+19005550188' }, dayBefore), ...smsAnswered];
    expect(await toldOf(legacy(token.sms), ...premium)).to.deep.equal([mail]);
    const ports = { smsCountries: ['GB'] };
    expect(await toldOf(legacy(token.sms, { ports }), ...known, ...smsAnswered)).to.deep.equal([mail]);
  });

  it('is told to nobody by a request that is refused', async () => {
    const told: Destination[] = [];
    const ports = { phoneChangeNotice: tellingIn(told) };
    const handle = handlerOn(await storeWith([...known, issued('code-1')]));
    await Promise.allSettled([send(handle, updatePhoneNumber, legacy(token.sms, { ports }))]);
    expect(told).to.deep.equal([]);
  });

  it('is told once where the request is repeated under its key', async () => {
    const told: Destination[] = [];
    const ports = { phoneChangeNotice: tellingIn(told) };
    const effects: Promise<unknown>[] = [];
    const store = await storeWith([...known, ...smsAnswered]);
    const handle = handlerOn(store, { onBackground: (effect) => effects.push(effect) });
    const request = keyed(legacy(token.sms, { ports }));
    await send(handle, updatePhoneNumber, request);
    await send(handle, updatePhoneNumber, request);
    await Promise.all(effects);
    expect(told).to.have.length(2);
  });

  it('stays changed where it cannot be told, and the answer does not wait for that', async () => {
    const store = await storeWith([...known, ...smsAnswered]);
    const never = new Promise<void>(() => undefined);
    const effects: Promise<unknown>[] = [];
    const handle = handlerOn(store, { onBackground: (effect) => effects.push(effect) });
    const failing = ({ channel }: Destination) =>
      channel === 'sms' ? never : Promise.reject(new Error('The test lets deliveries fail'));
    const { status } = await send(
      handle,
      updatePhoneNumber,
      legacy(token.sms, { ports: { phoneChangeNotice: failing } }),
    );
    expect(status).to.equal(204);
    const outcomes = await Promise.allSettled(effects);
    expect(outcomes.map((outcome) => outcome.status)).to.deep.equal(['rejected']);
    const types = (await store.readStream('user-user-ann')).map(({ type }) => type);
    expect(types.at(-1)).to.equal('PhoneNumberChanged');
  });
});
