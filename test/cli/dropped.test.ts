import { PassThrough } from 'node:stream';
import { expect } from 'chai';
import { createDroppedSubscriptionReporter } from '../../src/cli/parts/dropped-subscription.ts';

describe('A command whose subscription is dropped', () => {
  it('says in one line that it waits for the server', () => {
    const stderr = new PassThrough({ encoding: 'utf8' });
    createDroppedSubscriptionReporter({ stderr })(new Error('14 UNAVAILABLE:\nno connection'));
    expect(stderr.read()).to.equal(
      '\nEventStoreDB has stopped answering, and is waited for: 14 UNAVAILABLE: no connection\n',
    );
  });
});
