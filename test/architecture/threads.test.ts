import { basename } from 'node:path';
import { expect } from 'chai';
import { readSources } from './sources.ts';

describe('The modules that worker threads and child processes run', () => {
  const URLS = /new URL\(\s*['`]([^'`]+)['`],\s*import\.meta\.url,?\s*\)/g;

  it('are named for it and stand beside what starts them, so that the build finds them and they find each other', async () => {
    const sources = new Map(await readSources());
    // It writes pages of the project, and is in no bundle.
    sources.delete('src/cli/write-docs.ts');
    const started = [...sources.values()].flatMap((source) => [...source.matchAll(URLS)].map(([, path]) => path));
    expect(started).to.have.lengthOf.at.least(1);
    for (const path of started) expect(path).to.match(/^\.\/[a-z-]+\.(?:thread|process)\.js$/);
  });

  it('have names of their own, as the build puts them into one folder', async () => {
    const names = [...(await readSources()).keys()]
      .filter((path) => /\.(?:thread|process)\.ts$/.test(path))
      .map((path) => basename(path));
    expect(names).to.have.lengthOf.at.least(1);
    expect(names).to.deep.equal([...new Set(names)]);
  });
});
