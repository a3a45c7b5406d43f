import { expect } from 'chai';
import { failureName } from '../../src/ports/failure-name.ts';

const withCode = (code: unknown, cause?: Error) =>
  Object.assign(new TypeError('to ann@example.com', { cause }), { code });

describe('What an application log is told of a failure of the outside world', () => {
  for (const [what, failure, name] of [
    ['its code', withCode('ECONNREFUSED'), 'ECONNREFUSED'],
    ['its kind, where its code may hold a text', withCode('550 no ann@example.com'), 'TypeError'],
    ['its kind, where its code is a number', withCode(550), 'TypeError'],
    ['the code of its cause, where it has none', withCode(undefined, withCode('ETIMEDOUT')), 'ETIMEDOUT'],
    ['nothing, where it is no error', 'ann@example.com', 'unknown'],
  ] as const)
    it(`is ${what}`, () => {
      expect(failureName(failure)).to.equal(name);
    });
});
