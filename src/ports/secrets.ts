import { createHmac, timingSafeEqual } from 'node:crypto';

/** What is keyed with CODE_SECRET: hashes of codes, and the tokens that follow from them. */
export interface Secrets {
  /** Only this is stored of a code. */
  hashCode(codeId: string, code: string): string;
  /** The token of a code that was entered correctly; the same every time, so that it need not be stored. */
  tokenOf(codeId: string): string;
  /** Tells requests apart without telling what is in them: they hold codes and phone numbers. */
  fingerprint(request: string): string;
  /** The id of the code whose token this is, or undefined for any other text. */
  codeIdOf(token: string): string | undefined;
}

/** Constant-time comparison of texts of any length. */
export const sameText = (a: string, b: string): boolean => {
  const [left, right] = [Buffer.from(a), Buffer.from(b)];
  return left.length === right.length && timingSafeEqual(left, right);
};

export const createSecrets = (codeSecret: string): Secrets => {
  const hmac = (purpose: string, text: string) =>
    createHmac('sha256', codeSecret).update(`${purpose}\n${text}`).digest('base64url');
  const tokenOf = (codeId: string) => `${codeId}.${hmac('token', codeId)}`;
  return {
    hashCode: (codeId, code) => hmac('code', `${codeId}\n${code}`),
    tokenOf,
    fingerprint: (request) => hmac('request', request),
    codeIdOf: (token) => {
      const codeId = token.slice(0, Math.max(0, token.lastIndexOf('.')));
      return sameText(token, tokenOf(codeId)) ? codeId : undefined;
    },
  };
};
