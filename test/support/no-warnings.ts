import { inspect } from 'node:util';
import { expect } from 'chai';

/** What Node.js has warned of, in the order in which it did, and rejections that nobody handles. */
const warnings: string[] = [];
process
  .on('warning', ({ name, message }) => void warnings.push(`${name}: ${message}`))
  .on('unhandledRejection', (reason) => void warnings.push(`unhandled: ${inspect(reason)}`));

/**
 * What one version of Node.js warns of fails in a later one: a test fails during which it is warned of. Of rejections
 * mocha says nothing while a test runs, and between two files Node.js would end the worker.
 */
export const mochaHooks = {
  afterEach(): void {
    expect(warnings.splice(0), 'warnings of Node.js').to.deep.equal([]);
  },
};
