import type { Delivery } from './code-delivery.ts';
import type { Message } from './messages.ts';

/** Hands a message over; rejects with an error without recipient and text, whatever the server answered. */
export type ChannelDelivery = (recipient: string, message: Message) => Promise<void>;

export const deliverByChannel =
  ({ mail, sms }: { readonly mail: ChannelDelivery; readonly sms: ChannelDelivery }): Delivery =>
  (to, message) => {
    switch (to.channel) {
      case 'mail':
        return mail(to.address, message);
      case 'sms':
        return sms(to.phoneNumber, message);
    }
  };
