import type { CodeDelivery } from './code-delivery.ts';

/** Hands over a code; rejects with a message without recipient and code, whatever the server answered. */
export type ChannelDelivery = (recipient: string, code: string) => Promise<void>;

export const deliverByChannel =
  ({ mail, sms }: { readonly mail: ChannelDelivery; readonly sms: ChannelDelivery }): CodeDelivery =>
  (to, code) => {
    switch (to.channel) {
      case 'mail':
        return mail(to.address, code);
      case 'sms':
        return sms(to.phoneNumber, code);
    }
  };
