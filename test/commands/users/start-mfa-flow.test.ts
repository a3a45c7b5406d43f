import { expect } from 'chai';
import { startMfaFlow } from '../../../commands/users/start-mfa-flow.ts';
import { bodies, codes, ids } from '../../support/examples.ts';
import { on, storeWith } from '../../support/facts.ts';
import { given } from '../../support/given.ts';
import { professionalDecider } from '../../../src/domain/professional.ts';
import { handlerOn, send, type Request } from '../../support/sending.ts';
import { toProfessional, toUser, userNamed } from '../known.ts';
import { delivered, deliveryFailed, issued, userKnown } from './code-histories.ts';

const start: Request = { as: 'professional', body: { flow: 'phone_update_flow' } };
const expiresAt = '2026-03-02T09:15:00.000Z';
const minted = issued('minted-1', { channel: 'mail', expiresAt });
const answered = (sentTo = 'a***@example.com') => ({
  status: 201,
  body: { flowId: 'minted-1', challenge: { kind: 'otp_email', sentTo }, expiresAt },
});
const profileWith = (more: { email?: string | null; userId?: string }) =>
  toProfessional({
    type: 'ProfessionalRecorded',
    data: { professionalId: ids.professional, ...bodies.professional, ...more },
  });
const noMail = 'No mail address of the user is known';

describe('startMfaFlow', () => {
  it('issues a code that lives ten minutes, and shows where it went without showing the address', () =>
    given(...userKnown)
      .when(startMfaFlow, start)
      .then([minted, delivered('minted-1')], answered()));

  it("sends the six digits to the user's mail address", async () => {
    const sent: unknown[] = [];
    const ports = { codes: (to: object, code: string) => Promise.resolve(void sent.push({ to, code })) };
    await send(handlerOn(await storeWith(userKnown)), startMfaFlow, { ...start, ports });
    expect(sent).to.deep.equal([{ to: { channel: 'mail', address: bodies.professional.email }, code: codes.right }]);
  });

  const otherNamed = toUser({
    type: 'UserNamedByProfessional',
    data: { userId: ids.user, professionalId: ids.otherProfessional },
  });
  const otherWith = (email: string | null) =>
    on(
      professionalDecider,
      ids.otherProfessional,
    )({ type: 'ProfessionalRecorded', data: { professionalId: ids.otherProfessional, ...bodies.professional, email } });

  it('takes the address of the newest professional who names the user', () => {
    const mailed = { ...minted, data: { ...minted.data, destination: 'zoe@example.org' } };
    return given(...userKnown, otherNamed, otherWith('zoe@example.org'))
      .when(startMfaFlow, start)
      .then([mailed, delivered('minted-1')], answered('z***@example.org'));
  });

  it('takes the address of an older one when the newest has none', () =>
    given(...userKnown, otherNamed, otherWith(null))
      .when(startMfaFlow, start)
      .then([minted, delivered('minted-1')], answered()));

  it('says when a code cannot be delivered; the code is void', () =>
    given(...userKnown)
      .when(startMfaFlow, {
        ...start,
        ports: { codes: () => Promise.reject(new Error('The test lets deliveries fail')) },
      })
      .thenRefused('unavailable', 'The code could not be delivered', {
        events: [minted, deliveryFailed('minted-1')],
        retryAfter: 30,
      }));

  it('refuses the sixth code of an hour, SMS counted', () =>
    given(
      ...userKnown,
      ...['code-1', 'code-2', 'code-3'].map((codeId) => issued(codeId)),
      ...['flow-1', 'flow-2'].map((codeId) => issued(codeId, { channel: 'mail' })),
    )
      .when(startMfaFlow, start)
      .thenRefused('too-many', 'Too many codes were issued in the last hour', { retryAfter: 55 * 60 }));

  it('refuses a user whom no professional names', () =>
    given().when(startMfaFlow, start).thenRefused('conflict', noMail));

  for (const email of [null, ''])
    it(`refuses a user whose profile has ${JSON.stringify(email)} for a mail address`, () =>
      given(userNamed, profileWith({ email })).when(startMfaFlow, start).thenRefused('conflict', noMail));

  it('does not believe a profile that names another user by now', () =>
    given(...userKnown, profileWith({ userId: ids.otherUser }))
      .when(startMfaFlow, start)
      .thenRefused('conflict', noMail));

  it('does not believe a name without its profile', () =>
    given(userNamed).when(startMfaFlow, start).thenRefused('conflict', noMail));

  it('refuses another flow', () =>
    given(...userKnown)
      .when(startMfaFlow, { ...start, body: { flow: 'password_flow' } })
      .thenRefused('invalid', 'body/flow must be one of phone_update_flow'));
});
