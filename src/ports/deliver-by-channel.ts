import type { CodeDelivery } from './code-delivery.ts';

/**
 * Hands a code to one recipient over one channel. It rejects when that failed; the message then holds neither the
 * recipient nor the code, whatever the other side said.
 */
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
