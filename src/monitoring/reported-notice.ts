import type { Logger } from 'pino';
import type { PhoneChangeNotice } from '../ports/code-delivery.ts';
import type { Metrics } from './metrics.ts';

/** Counts notices of a changed phone number. One that fails is logged and resolves: the number is changed already. */
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
