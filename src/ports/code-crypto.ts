import { createHmac, timingSafeEqual } from 'node:crypto';

/** Keyed with CODE_SECRET. */
export interface CodeCrypto {
  /** Stored instead of the code. */
  hashCode(codeId: string, code: string): string;
  /** The token for a correctly entered code; always the same, so that it need not be stored. */
  tokenOf(codeId: string): string;
  /** Tells requests apart without revealing them: they hold codes and phone numbers. */
  fingerprint(request: string): string;
  /** Names the stream of a phone number's codes. */
  hashNumber(phoneNumber: string): string;
  /** Names the stream of notices to a user or a phone number, by another hash than that of the number's codes. */
  hashRecipient(kind: 'user' | 'number', id: string): string;
  /** The id of a token's code; undefined for a text that is no token. */
  codeIdOf(token: string): string | undefined;
}

/** Constant-time comparison of texts of any length. */
export const timingSafeEqualTexts = (a: string, b: string): boolean => {
  const [left, right] = [Buffer.from(a), Buffer.from(b)];
  return left.length === right.length && timingSafeEqual(left, right);
};

export const createCodeCrypto = (codeSecret: string): CodeCrypto => {
  const hmac = (purpose: string, text: string) =>
    createHmac('sha256', codeSecret).update(`${purpose}\n${text}`).digest('base64url');
  const tokenOf = (codeId: string) => `${codeId}.${hmac('token', codeId)}`;
  return {
    hashCode: (codeId, code) => hmac('code', `${codeId}\n${code}`),
    tokenOf,
    hashNumber: (phoneNumber) => hmac('number', phoneNumber),
    hashRecipient: (kind, id) => hmac(`notice to ${kind}`, id),
    fingerprint: (request) => hmac('request', request),
    codeIdOf: (token) => {
      const codeId = token.slice(0, Math.max(0, token.lastIndexOf('.')));
      return timingSafeEqualTexts(token, tokenOf(codeId)) ? codeId : undefined;
    },
  };
};
