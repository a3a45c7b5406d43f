import type { UserMessage } from './messages.ts';

export type Destination =
  { readonly channel: 'sms'; readonly phoneNumber: string } | { readonly channel: 'mail'; readonly address: string };

/** Hands a message over for delivery; rejects when that failed. */
export type MessageSender = (to: Destination, message: UserMessage) => Promise<void>;

/** Hands a one-time code to the user; rejects when that failed. */
export type OneTimeCodeSender = (to: Destination, code: string) => Promise<void>;

/**
 * Tells a user, at an address known until now, that the phone number was changed; rejects when that failed.
 *
 * @param isDue asked first, once: counts the notice, and resolves to whether it may be given
 */
export type PhoneChangeNoticeSender = (to: Destination, isDue: () => Promise<boolean>) => Promise<void>;
