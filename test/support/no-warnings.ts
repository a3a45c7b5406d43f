import { expect } from 'chai';

/** What Node.js has warned of, in the order in which it did. */
const warnings: string[] = [];
process.on('warning', ({ name, message }) => void warnings.push(`${name}: ${message}`));

/** What one version of Node.js warns of fails in a later one: a test fails during which it is warned of. */
export const mochaHooks = {
  afterEach(): void {
    expect(warnings.splice(0), 'warnings of Node.js').to.deep.equal([]);
  },
};
