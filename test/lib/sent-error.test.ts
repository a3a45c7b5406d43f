import { expect } from 'chai';
import { fromSentError, plainError, toSentError } from '../../src/lib/sent-error.ts';
import { startWorkers } from '../../src/lib/thread.ts';

describe('An error that goes to another thread', () => {
  class WithCode extends Error {
    override name = 'SqliteError';
    readonly code = 'SQLITE_FULL';
  }

  it('keeps name, message, stack and code, and those of its causes', () => {
    const thrown = new Error('nothing is stored', { cause: new WithCode('the disk is full') });
    const received = fromSentError(structuredClone(toSentError(thrown)));
    expect(received).to.be.instanceOf(Error).and.include({ name: 'Error', message: 'nothing is stored' });
    expect(received.stack).to.equal(thrown.stack);
    expect(received.cause).to.include({
      name: 'SqliteError',
      message: 'the disk is full',
      code: 'SQLITE_FULL',
    });
  });

  it('says what was thrown, where that is no error', () => {
    expect(plainError({ rawCode: 13 })).to.include({ message: '{ rawCode: 13 }' });
    expect(plainError('away')).to.include({ message: 'away' });
    expect(plainError(undefined)).to.include({ message: 'undefined' });
  });

  it('comes out of a thread that it ends, whatever its class', async () => {
    const module = new URL('./failing-thread.js', import.meta.url);
    const { ended } = startWorkers<object, never, never>(module)({}, {}, () => undefined);
    expect(await ended)
      .to.be.instanceOf(Error)
      .and.include({ message: 'it is full', code: 'SQLITE_FULL' });
  });
});
