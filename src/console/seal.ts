import { hkdfSync } from 'node:crypto';
import { EncryptJWT, jwtDecrypt } from 'jose';
import type { Static, TSchema } from '../schema/typebox.ts';
import { createValidator } from '../schema/validation.ts';

/** Browsers keep no longer cookie (RFC 6265, 6.1); its attributes need some of it. */
export const MAX_SEALED_LENGTH = 3_800;

/** Values as texts that nobody else can read, change or make: what a cookie holds. */
interface Seal<T> {
  /** @param expiresAt in milliseconds since 1970 */
  seal(value: T, expiresAt: number): Promise<string>;
  /** Undefined for a text that is not of this seal, was changed, or has expired. */
  open(text: string): Promise<T | undefined>;
}

/** @param purpose each has its own key, so that a cookie is valid only for what it was made for */
export const createSeal = <S extends TSchema>(
  secret: string,
  purpose: string,
  schema: S,
  now: () => number,
): Seal<Static<S>> => {
  const key = new Uint8Array(hkdfSync('sha256', secret, '', `console ${purpose}`, 32));
  const check = createValidator(schema, purpose);
  return {
    seal: (value, expiresAt) =>
      new EncryptJWT({ value })
        .setProtectedHeader({ alg: 'dir', enc: 'A256GCM' })
        .setExpirationTime(Math.floor(expiresAt / 1_000))
        .encrypt(key),
    async open(text) {
      if (text.length > MAX_SEALED_LENGTH) return undefined;
      try {
        const { payload } = await jwtDecrypt(text, key, {
          keyManagementAlgorithms: ['dir'],
          contentEncryptionAlgorithms: ['A256GCM'],
          requiredClaims: ['exp'],
          currentDate: new Date(now()),
        });
        const checked = check(payload['value']);
        return checked.ok ? checked.value : undefined;
      } catch {
        return undefined;
      }
    },
  };
};
