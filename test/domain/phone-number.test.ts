import { expect } from 'chai';
import { isTextable, toE164, parseAllowedPhoneNumber } from '../../src/domain/phone-number.ts';
import { DomainError } from '../../src/errors/domain-error.ts';

const refusal = (act: () => string): string => {
  try {
    return `taken as ${act()}`;
  } catch (error) {
    if (error instanceof DomainError) return error.message;
    throw error;
  }
};

describe("A user's own phone number", () => {
  for (const [text, e164] of [
    ['(512) 555-0188', '+15125550188'],
    ['+1 604 555 0188', '+16045550188'],
    ['+44 7400 123456', '+447400123456'],
    ['+49 1512 3456789', '+4915123456789'],
    ['+1 800 555 0188', '+18005550188'],
  ])
    it(`may be ${text}`, () => {
      expect(parseAllowedPhoneNumber(text ?? '', 'it')).to.equal(e164);
    });

  for (const pasted of [
    ' +15125550188',
    '\t+15125550188\n',
    '\u00a0+15125550188\u3000',
    '\u202a+15125550188\u202c',
    '\u2066(512) 555-0188\u2069',
    '\ufeff+15125550188\u200e\u200b',
    'tel:+15125550188',
    ' TEL: +1-512-555-0188 ',
    'tel:512-555-0188',
  ])
    it(`may be pasted as ${JSON.stringify(pasted)}`, () => {
      expect(parseAllowedPhoneNumber(pasted, 'it')).to.equal('+15125550188');
      expect(toE164(pasted, 'it')).to.equal('+15125550188');
    });

  for (const text of ['', ' ', 'tel:', 'tel:tel:+15125550188', 'phone:+15125550188', '+1512\u202c555a0188'])
    it(`may not be ${JSON.stringify(text)}`, () => {
      expect(refusal(() => toE164(text, 'it'))).to.match(/^it must be a phone number/);
    });

  for (const [text, what] of [
    ['+1 900 555 0188', 'premium rate in the United States'],
    ['+44 909 879 0000', 'premium rate in the United Kingdom'],
    ['+44 843 012 3456', 'shared cost in the United Kingdom'],
    ['+49 900 1234567', 'premium rate in Germany'],
    ['+49 180 5012345', 'shared cost in Germany'],
    ['+33 891 12 34 56', 'premium rate in France'],
    ['+870 773 111 632', 'Inmarsat'],
    ['+881 6 1234 5678', 'Iridium'],
    ['+882 16 1234 5678', 'Thuraya'],
    ['+883 5100 0123 4567', 'an international network'],
    ['+808 1234 5678', 'the International Shared Cost Service'],
    ['+979 1 2345 6789', 'the International Premium Rate Service'],
  ])
    it(`may not be ${text}, of ${what}`, () => {
      expect(refusal(() => parseAllowedPhoneNumber(text ?? '', 'it'))).to.equal(
        'it must not be a premium-rate, shared-cost or satellite number',
      );
      expect(isTextable(toE164(text ?? '', 'it'), [])).to.equal(false);
    });

  it('is of one of the countries, where some are named', () => {
    const [american, canadian, unassigned] = ['+15125550188', '+16045550188', '+12005550188'];
    expect(parseAllowedPhoneNumber(canadian, 'it', ['CA', 'US'])).to.equal(canadian);
    for (const number of [american, unassigned])
      expect(refusal(() => parseAllowedPhoneNumber(number, 'it', ['CA', 'GB']))).to.equal(
        'it must be a number of one of the countries CA, GB',
      );
    expect([american, canadian].map((number) => isTextable(number, ['CA']))).to.deep.equal([false, true]);
  });
});
