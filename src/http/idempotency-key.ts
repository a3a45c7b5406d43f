import { hash } from 'node:crypto';
import type { Caller, User } from '../access/access.ts';
import type { Preconditions } from '../application/preconditions.ts';
import { invalid } from '../errors/domain-error.ts';
import { canonicalJson } from '../schema/json.ts';
import type { Context } from './edge/context.ts';
import { callerIdOf } from './authenticator.ts';

/** Whom the user acts as; nothing for one who is neither a professional nor an office. */
const actingAs = (user: User | undefined): object[] => {
  const { professionalId, officeId } = user ?? {};
  return professionalId === undefined && officeId === undefined ? [] : [{ professionalId, officeId }];
};

/**
 * The request's `Idempotency-Key` as it is stored: hashed with its owner, beside a keyed fingerprint of the request and
 * of the professional and office that it acts as. Undefined without the header.
 */
export const readHashedIdempotencyKey = (
  ctx: Context,
  caller: Caller,
  fingerprintOf: (request: string) => string,
  request: {
    readonly operation: string;
    readonly params: unknown;
    readonly body: unknown;
    readonly mfaToken: string | undefined;
    readonly preconditions: Preconditions | undefined;
  },
): { key: string; fingerprint: string } | undefined => {
  const header = ctx.req.headers['idempotency-key'];
  if (header === undefined) return undefined;
  if (typeof header !== 'string' || !/^[\x21-\x7e]{1,255}$/.test(header))
    throw invalid('The header Idempotency-Key must be 1 to 255 visible ASCII characters');
  const { operation, params, body, mfaToken = '', preconditions } = request;
  // Left out where there are none: fingerprints that are stored already still match.
  const optional = [...actingAs(caller.user), ...(preconditions ? [preconditions] : [])];
  return {
    key: hash('sha256', canonicalJson([callerIdOf(caller), header]), 'base64url'),
    fingerprint: fingerprintOf(canonicalJson([operation, params, body, mfaToken, ...optional])),
  };
};
