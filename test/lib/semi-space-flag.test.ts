import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect } from 'chai';

/** Prints how much a thread may take whose limits say 64 and 8 MB, begun after a step of the main thread. */
const limitAfter = (step: string): string => `
import { Worker } from 'node:worker_threads';
${step}
const told = 'import("node:v8").then((v8) => console.log(v8.getHeapStatistics().heap_size_limit))';
new Worker(told, { eval: true, resourceLimits: { maxOldGenerationSizeMb: 64, maxYoungGenerationSizeMb: 8 } });
`;

const run = async (flags: readonly string[], step: string): Promise<number> => {
  const args = [...flags, '--input-type=module', '--eval', limitAfter(step)];
  return Number((await promisify(execFile)(process.execPath, args)).stdout);
};

const LIB = new URL('../../src/lib/semi-space-flag.js', import.meta.url).href;
const KEEP = `(await import(${JSON.stringify(LIB)})).keepSemiSpaceFlagToThisThread();`;
const FLAG = ['--max-semi-space-size=32'];

describe('The flag --max-semi-space-size', () => {
  it('leaves threads their own limits, once it is kept to the thread that was started with it', async () => {
    const [withoutFlag, withFlag, kept] = await Promise.all([run([], ''), run(FLAG, ''), run(FLAG, KEEP)]);
    expect(withFlag).to.be.greaterThan(withoutFlag);
    expect(kept).to.equal(withoutFlag);
  });
});
