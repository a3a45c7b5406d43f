import { expect } from 'chai';
import { StoreUnavailableError } from '../../src/errors/store-unavailable.ts';
import { createFailureReporter } from '../../src/http/failure-reporter.ts';
import type { Context } from '../../src/http/edge/context.ts';

describe('Failed requests in the application log', () => {
  it('name a store that is away once, without a stack, whatever each of its connections says', () => {
    const lines: { readonly level: string; readonly line: object }[] = [];
    const logger = {
      warn: (line: object) => void lines.push({ level: 'warn', line }),
      error: (line: object) => void lines.push({ level: 'error', line }),
    };
    let failures = 0;
    const report = createFailureReporter(
      logger,
      () => undefined,
      () => failures++,
    );
    const ctx = { state: { requestId: 'one' }, req: {} } as unknown as Context;
    for (const connection of [5, 6, 7])
      report(
        new StoreUnavailableError('MongoDB does not answer', { cause: new Error(`connection ${connection} closed`) }),
        ctx,
      );
    expect(lines.map(({ level }) => level)).to.deep.equal(['warn']);
    expect(lines[0]?.line).to.deep.include({
      requestId: 'one',
      reason: 'MongoDB does not answer: connection 5 closed',
    });
    expect(lines[0]?.line).not.to.have.property('err');
    expect(failures).to.equal(3);
  });
});
