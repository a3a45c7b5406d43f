import { expect } from 'chai';
import type { Destination } from '../../src/ports/code-delivery.ts';
import { codeText } from '../../src/ports/code-text.ts';
import { deliverByChannel } from '../../src/ports/deliver-by-channel.ts';
import { logDelivery } from '../../src/ports/log-delivery.ts';
import { withRetries } from '../../src/ports/with-retries.ts';
import { failureOf } from './failure-of.ts';

const SMS: Destination = { channel: 'sms', phoneNumber: '+14155550123' };
const MAIL: Destination = { channel: 'mail', address: 'jane@example.com' };
const CODE = '048213';

/** A delivery that fails so many times before it succeeds. */
const failing = (times: number) => {
  const tries: string[] = [];
  const deliver = (_to: Destination, code: string) => {
    tries.push(code);
    return tries.length <= times ? Promise.reject(new Error(`try ${tries.length}`)) : Promise.resolve();
  };
  return { tries, deliver };
};

describe('the text that delivers a code', () => {
  it('holds the six digits once and no other run of six digits', () => {
    expect(codeText(CODE).match(/\d{6}/g)).to.deep.equal([CODE]);
  });
});

describe('delivery by channel', () => {
  it('hands mail to the one and SMS to the other', async () => {
    const seen: string[] = [];
    const note = (channel: string) => (recipient: string, code: string) => {
      seen.push(`${channel} ${recipient} ${code}`);
      return Promise.resolve();
    };
    const deliver = deliverByChannel({ mail: note('mail'), sms: note('sms') });

    await deliver(SMS, '111111');
    await deliver(MAIL, '222222');

    expect(seen).to.deep.equal(['sms +14155550123 111111', 'mail jane@example.com 222222']);
  });
});

describe('delivery to the log', () => {
  it('gives recipient and text to the sink', async () => {
    const shown: unknown[] = [];

    await logDelivery((entry) => shown.push(entry))('jane@example.com', CODE);

    expect(shown).to.deep.equal([{ to: 'jane@example.com', text: codeText(CODE) }]);
  });

  it('has failed when the sink throws', async () => {
    const deliver = logDelivery(() => {
      throw new Error('disk full');
    });

    expect((await failureOf(deliver('jane@example.com', CODE))).message).to.equal('disk full');
  });
});

describe('delivery with retries', () => {
  it('tries once when that succeeds', async () => {
    const { tries, deliver } = failing(0);

    await withRetries(deliver, { attempts: 3, pauseMs: 0 })(SMS, CODE);

    expect(tries).to.deep.equal([CODE]);
  });

  it('succeeds with the third try', async () => {
    const { tries, deliver } = failing(2);

    await withRetries(deliver, { attempts: 3, pauseMs: 0 })(SMS, CODE);

    expect(tries).to.deep.equal([CODE, CODE, CODE]);
  });

  it('rejects with the third failure and does not try a fourth time', async () => {
    const { tries, deliver } = failing(3);

    const failure = await failureOf(withRetries(deliver, { attempts: 3, pauseMs: 0 })(SMS, CODE));

    expect(failure.message).to.equal('try 3');
    expect(tries).to.have.length(3);
  });

  it('tells of every try that failed', async () => {
    const { deliver } = failing(2);
    const told: string[] = [];
    const onFailure = (error: unknown, attempt: number) => told.push(`${attempt}: ${String(error)}`);

    await withRetries(deliver, { attempts: 3, pauseMs: 0, onFailure })(SMS, CODE);

    expect(told).to.deep.equal(['1: Error: try 1', '2: Error: try 2']);
  });

  it('pauses between two tries', async () => {
    const { deliver } = failing(1);
    const started = performance.now();

    await withRetries(deliver, { attempts: 3, pauseMs: 30 })(SMS, CODE);

    // Timers may fire up to a millisecond early.
    expect(performance.now() - started).to.be.at.least(29);
  });
});
