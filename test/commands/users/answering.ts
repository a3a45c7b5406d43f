import type { Command } from '../../../src/application/command.ts';
import { codes, times } from '../../support/examples.ts';
import { given, type Reply } from '../../support/given.ts';
import type { Request } from '../../support/sending.ts';
import { accepted, deliveryFailed, delivered, issued, refused } from './code-histories.ts';

/**
 * Tests how an answer to a code is judged, for the two commands that take one.
 *
 * @param channel the channel of the command's codes; it does not take the other channel's
 * @param paramsOf the command's parameters for a code
 * @param replyOf the reply to the right answer, with a token that is valid until then
 */
export const answersAsDecided = (
  command: Command,
  channel: 'sms' | 'mail',
  paramsOf: (codeId: string) => object,
  replyOf: (codeId: string, expiresAt: string) => Reply,
): void => {
  const answer = (code: string, { at, as = 'professional' }: Pick<Request, 'at' | 'as'> = {}): Request => ({
    as,
    at: at ?? times.now,
    params: paramsOf('code-1'),
    body: { code },
  });
  const known = [issued('code-1', { channel }), delivered('code-1')];
  const wrongBefore = (count: number) => Array.from({ length: count }, () => refused('code-1'));
  const tenMinutesLater = '2026-03-02T09:15:00.000Z';
  const isWrong = 'body/code is wrong';
  const isDead = 'The code has expired or can take no more answers';
  const isNotYours = 'There is no such code, or it is not yours';

  it('takes the right code and gives a token that lives ten minutes', () =>
    given(...known)
      .when(command, answer(codes.right))
      .then([accepted('code-1', tenMinutesLater)], replyOf('code-1', tenMinutesLater)));

  it('takes the right code when four were wrong', () =>
    given(...known, ...wrongBefore(4))
      .when(command, answer(codes.right))
      .then([accepted('code-1', tenMinutesLater)], replyOf('code-1', tenMinutesLater)));

  for (const before of [0, 1, 2, 3, 4])
    it(`answers 400 to wrong code number ${before + 1}, which counts`, () =>
      given(...known, ...wrongBefore(before))
        .when(command, answer(codes.wrong))
        .thenRefused('wrong-code', isWrong, { events: [refused('code-1')] }));

  for (const [name, code] of Object.entries(codes))
    it(`answers 403 to the ${name} code after five wrong ones`, () =>
      given(...known, ...wrongBefore(5))
        .when(command, answer(code))
        .thenRefused('not-verified', isDead));

  for (const [name, code] of Object.entries(codes))
    it(`answers 403 to the ${name} code after the right one was taken`, () =>
      given(...known, accepted('code-1', tenMinutesLater))
        .when(command, answer(code))
        .thenRefused('not-verified', isDead));

  it('takes the code until just before its ten minutes are over', () =>
    given(...known)
      .when(command, answer(codes.right, { at: '2026-03-02T09:09:59.999Z' }))
      .then([accepted('code-1', '2026-03-02T09:19:59.999Z')], replyOf('code-1', '2026-03-02T09:19:59.999Z')));

  it('answers 403 once its ten minutes are over', () =>
    given(...known)
      .when(command, answer(codes.right, { at: '2026-03-02T09:10:00.000Z' }))
      .thenRefused('not-verified', isDead));

  it('answers 403 to a code that could not be delivered', () =>
    given(issued('code-1', { channel }), deliveryFailed('code-1'))
      .when(command, answer(codes.right))
      .thenRefused('not-verified', isDead));

  it('keeps the attempts of several codes apart', () =>
    given(...known, issued('code-2', { channel }), ...Array.from({ length: 5 }, () => refused('code-2')))
      .when(command, answer(codes.right))
      .then([accepted('code-1', tenMinutesLater)], replyOf('code-1', tenMinutesLater)));

  it('answers 404 to an unknown code', () =>
    given().when(command, answer(codes.right)).thenRefused('not-found', isNotYours));

  for (const [name, code] of Object.entries(codes))
    it(`answers 404 to another user with the ${name} code, and counts no attempt`, () =>
      given(...known)
        .when(command, answer(code, { as: 'otherProfessional' }))
        .thenRefused('not-found', isNotYours));

  it('answers 404 to a code of the other channel', () =>
    given(issued('code-1', { channel: channel === 'sms' ? 'mail' : 'sms' }))
      .when(command, answer(codes.right))
      .thenRefused('not-found', isNotYours));

  for (const code of ['12345', '1234567', '12345a', ' 123456', '１２３４５６'])
    it(`refuses '${code}', which is not six digits, and counts no attempt`, () =>
      given(...known)
        .when(command, answer(code))
        .thenRefused('invalid', 'body/code must be six digits'));
};
