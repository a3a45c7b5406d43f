export type Destination =
  | { readonly channel: 'sms'; readonly phoneNumber: string }
  | { readonly channel: 'mail'; readonly address: string };

/** Hands a one-time code to the user; rejects when that failed. */
export type CodeDelivery = (to: Destination, code: string) => Promise<void>;
