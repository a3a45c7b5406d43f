import { phoneCodeRequestDecider } from '../../../src/domain/phone-code-requests.ts';
import { bodies, codes, ids, phoneNumbers } from '../../support/examples.ts';
import { on, type Fact } from '../../support/facts.ts';
import { secrets } from '../../support/sending.ts';
import { professionalKnown, toUser, userNamed } from '../known.ts';

/** Earlier events of a user's one-time codes. */

/** Comes before a code by SMS, in the stream of its number. */
export const requested = (
  codeId: string,
  { number = phoneNumbers.wanted, at }: { readonly number?: string; readonly at?: string } = {},
): Fact => {
  const numberHash = secrets.hashNumber(number);
  const stamp = { by: ids.user, ...(at === undefined ? {} : { at }) };
  return on(phoneCodeRequestDecider, numberHash)({ type: 'CodeRequested', data: { numberHash, codeId } }, stamp);
};

interface Issue {
  readonly channel?: 'sms' | 'mail';
  /** Of a code by SMS. */
  readonly to?: string;
  readonly at?: string;
  readonly expiresAt?: string;
}
/** Issued at 9:00 by default, so that it expires at 9:10. */
export const issued = (
  codeId: string,
  { channel = 'sms', to = phoneNumbers.wanted, at, expiresAt }: Issue = {},
): Fact =>
  toUser(
    {
      type: 'CodeIssued',
      data: {
        userId: ids.user,
        codeId,
        channel,
        destination: channel === 'sms' ? to : bodies.professional.email,
        codeHash: secrets.hashCode(codeId, codes.right),
        expiresAt: expiresAt ?? '2026-03-02T09:10:00.000Z',
      },
    },
    { by: ids.user, ...(at === undefined ? {} : { at }) },
  );

const by = { by: ids.user };
const of = (codeId: string) => ({ userId: ids.user, codeId });
export const delivered = (codeId: string): Fact => toUser({ type: 'CodeDelivered', data: of(codeId) }, by);
export const deliveryFailed = (codeId: string): Fact => toUser({ type: 'CodeDeliveryFailed', data: of(codeId) }, by);
export const refused = (codeId: string): Fact => toUser({ type: 'CodeRefused', data: of(codeId) }, by);
export const accepted = (codeId: string, tokenExpiresAt: string): Fact =>
  toUser({ type: 'CodeAccepted', data: { ...of(codeId), tokenExpiresAt } }, by);
export const numberChanged = (codeId: string, phoneNumber: string = phoneNumbers.wanted, at?: string): Fact =>
  toUser(
    { type: 'PhoneNumberChanged', data: { ...of(codeId), phoneNumber } },
    { ...by, ...(at === undefined ? {} : { at }) },
  );

/** A professional who is the user, with a mail address. */
export const userKnown = [userNamed, professionalKnown];
