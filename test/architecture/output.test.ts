import { expect } from 'chai';
import type { Sources } from './imports.ts';
import { readSources } from './sources.ts';

/** The one file that writes what commands print, and those that have the streams of the process. */
const PRINTER = 'src/cli/parts/print.ts';
const PROCESS = ['src/cli/hiring.ts', 'src/monitoring/logger.ts'];

/** Lines of the service that write to a terminal by another way. */
const otherWays = (sources: Sources): string[] =>
  [...sources].flatMap(([path, source]) =>
    source
      .split('\n')
      .filter(
        (line) =>
          /\bconsole\.\w+\(/.test(line) ||
          (/\bprocess\.std(?:out|err)\b/.test(line) && !PROCESS.includes(path)) ||
          (/\b(?:stdout|stderr|output)\.write\(|\bpipeline\(.*\b(?:stdout|stderr|output)\b/.test(line) &&
            path !== PRINTER),
      )
      .map((line) => `${path}: ${line.trim()}`),
  );

describe('What goes to a terminal', () => {
  it('is written by one file, which makes every character of it visible', async () => {
    expect(otherWays(await readSources())).to.deep.equal([]);
  });

  for (const line of [
    'console.log(reason);',
    'process.stdout.write(reason);',
    'stderr.write(reason);',
    'terminal.stdout.write(reason);',
    'await pipeline(rows, stdout);',
  ])
    it(`is found where another file has ${line}`, () => {
      expect(otherWays(new Map([['src/cli/other.ts', line]]))).to.deep.equal([`src/cli/other.ts: ${line}`]);
    });
});
