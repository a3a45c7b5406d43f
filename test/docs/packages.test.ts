import { expect } from 'chai';
import { isObject } from '../../src/schema/json.ts';
import { readFile } from '../support/project.ts';

const membersOf = (path: string, name: string): [string, unknown][] => {
  const content: unknown = JSON.parse(readFile(path));
  const members = isObject(content) ? content[name] : undefined;
  return isObject(members) ? Object.entries(members) : [];
};

describe('The packages', () => {
  it('run no code of their own when they are installed', () => {
    expect(readFile('.npmrc')).to.match(/^ignore-scripts=true$/m);
  });

  it('need none of it: those that have such a script are known to work without', () => {
    const packages = membersOf('package-lock.json', 'packages');
    expect(packages).to.have.length.above(100);
    const withScript = packages.flatMap(([path, one]) =>
      isObject(one) && one['hasInstallScript'] === true ? [path.replace(/^.*node_modules\//, '')] : [],
    );
    expect(withScript).to.have.members(['@scarf/scarf', 'esbuild', 'protobufjs']);
    for (const name of withScript) expect(readFile('docs/dependencies.md')).to.include(`\`${name}\``);
  });

  it('leave no script of the project out: npm runs none before or after another', () => {
    const names = membersOf('package.json', 'scripts').map(([name]) => name);
    expect(names.filter((name) => /^(?:pre|post)/.test(name))).to.deep.equal([]);
  });
});
