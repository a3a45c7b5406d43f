import { createCipheriv, createDecipheriv, createHmac, randomBytes } from 'node:crypto';

/** What webhooks keep secret, keyed with WEBHOOK_SECRET. */
export interface WebhookCrypto {
  /** A subscription's signing secret, in the form of Standard Webhooks; always the same, so it is stored nowhere. */
  signingSecret(webhookId: string, generation: number): string;
  /** Encrypts a text of a subscription. */
  seal(webhookId: string, text: string): string;
  /** @throws Error for what was not sealed with this secret for this subscription */
  open(webhookId: string, sealed: string): string;
}

const PREFIX = 'whsec_';
const CIPHER = 'aes-256-gcm';
const [NONCE_BYTES, TAG_BYTES] = [12, 16];

/** The key that a signing secret stands for. */
const keyOf = (signingSecret: string): Buffer => Buffer.from(signingSecret.slice(PREFIX.length), 'base64');

/** Signs a message by the scheme of Standard Webhooks. @param seconds since 1970, of the try */
export const signatureOf = (signingSecret: string, id: string, seconds: number, body: string): string =>
  `v1,${createHmac('sha256', keyOf(signingSecret)).update(`${id}.${seconds}.${body}`).digest('base64')}`;

export const createWebhookCrypto = (webhookSecret: string): WebhookCrypto => {
  const hmac = (...texts: readonly (string | number)[]): Buffer =>
    createHmac('sha256', webhookSecret).update(texts.join('\n')).digest();
  const sealing = (webhookId: string) => hmac('query', webhookId);
  return {
    signingSecret: (webhookId, generation) => PREFIX + hmac('signing', webhookId, generation).toString('base64'),
    seal(webhookId, text) {
      const nonce = randomBytes(NONCE_BYTES);
      const cipher = createCipheriv(CIPHER, sealing(webhookId), nonce);
      const sealed = [cipher.update(text, 'utf8'), cipher.final()];
      return Buffer.concat([nonce, cipher.getAuthTag(), ...sealed]).toString('base64url');
    },
    open(webhookId, sealed) {
      const bytes = Buffer.from(sealed, 'base64url');
      const nonce = bytes.subarray(0, NONCE_BYTES);
      const tag = bytes.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES);
      const decipher = createDecipheriv(CIPHER, sealing(webhookId), nonce, { authTagLength: TAG_BYTES });
      decipher.setAuthTag(tag);
      const text = [decipher.update(bytes.subarray(NONCE_BYTES + TAG_BYTES)), decipher.final()];
      return Buffer.concat(text).toString('utf8');
    },
  };
};
