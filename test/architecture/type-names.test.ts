import { expect } from 'chai';
import type { Sources } from './imports.ts';
import { readSources } from './sources.ts';

/** Each name of an exported type that several files declare, with those files. */
const declaredTwice = (sources: Sources): string[] => {
  const files = new Map<string, string[]>();
  for (const [path, source] of sources)
    for (const [, name = ''] of source.matchAll(/^export (?:interface|type|class) (\w+)/gm))
      files.set(name, [...(files.get(name) ?? []), path]);
  return [...files].filter(([, paths]) => paths.length > 1).map(([name, paths]) => `${name}: ${paths.join(', ')}`);
};

describe('The names of exported types', () => {
  it('are each declared in one file', async () => {
    expect(declaredTwice(await readSources())).to.deep.equal([]);
  });

  it('are found where two files declare one', () => {
    const sources = new Map([
      ['src/a.ts', 'export interface Answer {}\n'],
      ['src/b.ts', "export type Answer = 'yes';\nexport class Question {}\n"],
    ]);
    expect(declaredTwice(sources)).to.deep.equal(['Answer: src/a.ts, src/b.ts']);
  });
});
