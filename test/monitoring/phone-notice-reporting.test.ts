import { expect } from 'chai';
import { pino } from 'pino';
import { createMetrics } from '../../src/monitoring/metrics.ts';
import { withPhoneChangeNoticeReporting } from '../../src/monitoring/phone-notice-reporting.ts';
import type { Destination } from '../../src/ports/message-sender.ts';

const SMS: Destination = { channel: 'sms', phoneNumber: '+14155550123' };
const MAIL: Destination = { channel: 'mail', address: 'jane@example.com' };

describe('A notice of a changed phone number', () => {
  it('is counted, and one that fails is an error in the application log without the recipient', async () => {
    const metrics = createMetrics();
    const lines: string[] = [];
    const logger = pino({ level: 'info' }, { write: (line) => lines.push(line) });
    const notice = withPhoneChangeNoticeReporting(
      ({ channel }) => (channel === 'sms' ? Promise.reject(new Error('503')) : Promise.resolve()),
      metrics,
      logger,
    );

    const isDue = () => Promise.resolve(true);
    await Promise.all([notice(SMS, isDue), notice(MAIL, isDue), notice(MAIL, isDue)]);

    const counts = await metrics.registry.getSingleMetricAsString('phone_change_notices_total');
    expect(counts).to.include('{channel="sms",outcome="failed"} 1');
    expect(counts).to.include('{channel="mail",outcome="delivered"} 2');
    expect(lines).to.have.length(1);
    expect(lines[0]).to.include('A user could not be told').and.to.include('"level":50');
    expect(lines.join()).to.not.match(/4155550123|jane/);
  });

  it('is not given where it is not due, and counted so', async () => {
    const metrics = createMetrics();
    const notice = withPhoneChangeNoticeReporting(
      () => Promise.reject(new Error('It was given')),
      metrics,
      pino({ level: 'silent' }),
    );
    await notice(SMS, () => Promise.resolve(false));
    const counts = await metrics.registry.getSingleMetricAsString('phone_change_notices_total');
    expect(counts).to.include('{channel="sms",outcome="rate_limited"} 1');
  });
});
