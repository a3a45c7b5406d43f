import type { Logger } from 'pino';
import type { PhoneChangeNotice } from '../ports/code-delivery.ts';
import type { Metrics } from './metrics.ts';

/**
 * Counts the notices of a changed phone number. One that fails changes nothing, since the number is changed already: it
 * is an error in the application log, and no rejection.
 */
export const reportedNotice =
  (notice: PhoneChangeNotice, { notices }: Pick<Metrics, 'notices'>, logger: Logger): PhoneChangeNotice =>
  async (to) => {
    const { channel } = to;
    try {
      await notice(to);
      notices.inc({ channel, outcome: 'delivered' });
    } catch (error) {
      notices.inc({ channel, outcome: 'failed' });
      logger.error({ channel, err: error }, 'A user could not be told that the phone number was changed');
    }
  };
