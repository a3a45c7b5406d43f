import type { Logger } from 'pino';
import type { PhoneChangeNoticeSender } from '../ports/message-sender.ts';
import type { Metrics } from './metrics.ts';

const alreadyDue = () => Promise.resolve(true);

/**
 * Gives notices of a changed phone number that are due, and counts all. A failure is logged and not thrown: the number
 * is changed already.
 */
export const withPhoneChangeNoticeReporting =
  (notice: PhoneChangeNoticeSender, { notices }: Pick<Metrics, 'notices'>, logger: Logger): PhoneChangeNoticeSender =>
  async (to, isDue) => {
    const { channel } = to;
    try {
      const isAllowed = await isDue();
      if (isAllowed) await notice(to, alreadyDue);
      notices.inc({ channel, outcome: isAllowed ? 'delivered' : 'rate_limited' });
    } catch (error) {
      notices.inc({ channel, outcome: 'failed' });
      logger.error({ channel, err: error }, 'A user could not be told that the phone number was changed');
    }
  };
