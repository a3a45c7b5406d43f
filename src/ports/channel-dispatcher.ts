import type { MessageSender } from './message-sender.ts';
import type { UserMessage } from './messages.ts';

/** Hands a message over; rejects with an error without recipient and text, whatever the server answered. */
export type ChannelSender = (recipient: string, message: UserMessage) => Promise<void>;

export const createChannelDispatcher =
  ({ mail, sms }: { readonly mail: ChannelSender; readonly sms: ChannelSender }): MessageSender =>
  (to, message) => {
    switch (to.channel) {
      case 'mail':
        return mail(to.address, message);
      case 'sms':
        return sms(to.phoneNumber, message);
    }
  };
