import { expect } from 'chai';
import { DomainError } from '../../src/errors/domain-error.ts';
import { LogUnavailableError } from '../../src/event-store/port.ts';
import { StoreUnavailableError } from '../../src/errors/store-unavailable.ts';
import { UnusableFileError } from '../../src/errors/unusable-file.ts';
import { fromSerializedError, toTransferableError, toSerializedError } from '../../src/lib/serialized-error.ts';

describe('An error that goes to another thread', () => {
  class WithCode extends Error {
    override name = 'SqliteError';
    readonly code = 'SQLITE_FULL';
  }

  it('keeps name, message, stack and code, and those of its causes', () => {
    const thrown = new Error('nothing is stored', { cause: new WithCode('the disk is full') });
    const received = fromSerializedError(structuredClone(toSerializedError(thrown)));
    expect(received).to.be.instanceOf(Error).and.include({ name: 'Error', message: 'nothing is stored' });
    expect(received.stack).to.equal(thrown.stack);
    expect(received.cause).to.include({ name: 'SqliteError', message: 'the disk is full', code: 'SQLITE_FULL' });
  });

  it('says what was thrown, where that is no error', () => {
    expect(toTransferableError({ rawCode: 13 })).to.include({ message: '{ rawCode: 13 }' });
    expect(toTransferableError('away')).to.include({ message: 'away' });
    expect(toTransferableError(undefined)).to.include({ message: 'undefined' });
  });

  it('is of its class again, where that is one of refusals or of stores', () => {
    const sent = (error: Error) => fromSerializedError(structuredClone(toSerializedError(error)));
    expect(sent(new DomainError('too-many', 'later', { retryAfter: 3, field: '/where' })))
      .to.be.instanceOf(DomainError)
      .and.include({ reason: 'too-many', message: 'later', retryAfter: 3, field: '/where' });
    expect(sent(new StoreUnavailableError('away', { cause: new Error('full') })))
      .to.be.instanceOf(StoreUnavailableError)
      .and.have.nested.property('cause.message', 'full');
    expect(sent(new LogUnavailableError('the event log is away'))).to.be.instanceOf(StoreUnavailableError);
    expect(sent(new UnusableFileError('damaged'))).to.be.instanceOf(UnusableFileError);
  });
});
