import { expect } from 'chai';
import type { Destination } from '../../src/ports/message-sender.ts';
import { createChannelDispatcher } from '../../src/ports/channel-dispatcher.ts';
import { createSinkSender } from '../../src/ports/sink-sender.ts';
import { codeMessage, PHONE_CHANGE_MESSAGE, type UserMessage } from '../../src/ports/messages.ts';
import { withSendRetries } from '../../src/ports/with-send-retries.ts';
import { failureOf } from '../support/refusal-of.ts';

const SMS: Destination = { channel: 'sms', phoneNumber: '+14155550123' };
const MAIL: Destination = { channel: 'mail', address: 'jane@example.com' };
const CODE = '048213';
const MESSAGE = codeMessage(CODE);

/** A delivery that fails so many times before it succeeds. */
const failing = (times: number) => {
  const tries: string[] = [];
  const deliver = (_to: Destination, { text }: UserMessage) => {
    tries.push(text);
    return tries.length <= times ? Promise.reject(new Error(`try ${tries.length}`)) : Promise.resolve();
  };
  return { tries, deliver };
};

describe('the text that delivers a code', () => {
  it('holds the six digits once and no other run of six digits', () => {
    expect(MESSAGE.text.match(/\d{6}/g)).to.deep.equal([CODE]);
  });
});

describe('the text that tells of a changed phone number', () => {
  it('is one sentence without a number', () => {
    expect(PHONE_CHANGE_MESSAGE.text).to.match(/^[^.!?\d]+\.$/);
  });
});

describe('delivery by channel', () => {
  it('hands mail to the one and SMS to the other', async () => {
    const seen: string[] = [];
    const note =
      (channel: string) =>
      (recipient: string, { text }: UserMessage) => {
        seen.push(`${channel} ${recipient} ${text}`);
        return Promise.resolve();
      };
    const deliver = createChannelDispatcher({ mail: note('mail'), sms: note('sms') });

    await deliver(SMS, { subject: 'S', text: 'one' });
    await deliver(MAIL, { subject: 'S', text: 'two' });

    expect(seen).to.deep.equal(['sms +14155550123 one', 'mail jane@example.com two']);
  });
});

describe('delivery to the log', () => {
  it('gives recipient and text to the sink', async () => {
    const shown: unknown[] = [];

    await createSinkSender((entry) => shown.push(entry))('jane@example.com', MESSAGE);

    expect(shown).to.deep.equal([{ to: 'jane@example.com', text: MESSAGE.text }]);
  });

  it('has failed when the sink throws', async () => {
    const deliver = createSinkSender(() => {
      throw new Error('disk full');
    });

    expect((await failureOf(deliver('jane@example.com', MESSAGE))).message).to.equal('disk full');
  });
});

describe('delivery with retries', () => {
  it('tries once when that succeeds', async () => {
    const { tries, deliver } = failing(0);

    await withSendRetries(deliver, { attempts: 3, pauseMs: 0 })(SMS, MESSAGE);

    expect(tries).to.deep.equal([MESSAGE.text]);
  });

  it('succeeds with the third try', async () => {
    const { tries, deliver } = failing(2);

    await withSendRetries(deliver, { attempts: 3, pauseMs: 0 })(SMS, MESSAGE);

    expect(tries).to.deep.equal(Array(3).fill(MESSAGE.text));
  });

  it('rejects with the third failure and does not try a fourth time', async () => {
    const { tries, deliver } = failing(3);

    const failure = await failureOf(withSendRetries(deliver, { attempts: 3, pauseMs: 0 })(SMS, MESSAGE));

    expect(failure.message).to.equal('try 3');
    expect(tries).to.have.length(3);
  });

  it('tells of every try that failed', async () => {
    const { deliver } = failing(2);
    const told: string[] = [];
    const onFailure = (error: unknown, attempt: number) => told.push(`${attempt}: ${String(error)}`);

    await withSendRetries(deliver, { attempts: 3, pauseMs: 0, onFailure })(SMS, MESSAGE);

    expect(told).to.deep.equal(['1: Error: try 1', '2: Error: try 2']);
  });

  it('pauses between two tries', async () => {
    const { deliver } = failing(1);
    const started = performance.now();

    await withSendRetries(deliver, { attempts: 3, pauseMs: 30 })(SMS, MESSAGE);

    // Timers may fire up to a millisecond early.
    expect(performance.now() - started).to.be.at.least(29);
  });
});
