/** Where a one-time code goes. */
export type Destination =
  | { readonly channel: 'sms'; readonly phoneNumber: string }
  | { readonly channel: 'mail'; readonly address: string };

/** Hands a one-time code to the person; rejects when it could not be handed over. */
export type CodeDelivery = (to: Destination, code: string) => Promise<void>;
