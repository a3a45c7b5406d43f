import { createHash } from 'node:crypto';
import { invalid } from '../errors/domain-error.ts';
import { canonicalJson } from '../schema/json.ts';
import type { Context } from './context.ts';

const sha256 = (parts: readonly unknown[]): string =>
  createHash('sha256').update(canonicalJson(parts)).digest('base64url');

/**
 * The request's `Idempotency-Key` as it is stored: hashed with its owner, beside a keyed fingerprint of the request.
 * Undefined without the header.
 */
export const readIdempotency = (
  ctx: Context,
  owner: string,
  fingerprintOf: (request: string) => string,
  request: {
    readonly operation: string;
    readonly params: unknown;
    readonly body: unknown;
    readonly mfaToken: string | undefined;
  },
): { key: string; fingerprint: string } | undefined => {
  const header = ctx.req.headers['idempotency-key'];
  if (header === undefined) return undefined;
  if (typeof header !== 'string' || !/^[\x21-\x7e]{1,255}$/.test(header))
    throw invalid('The header Idempotency-Key must be 1 to 255 visible ASCII characters');
  const { operation, params, body, mfaToken = '' } = request;
  return {
    key: sha256([owner, header]),
    fingerprint: fingerprintOf(canonicalJson([operation, params, body, mfaToken])),
  };
};
