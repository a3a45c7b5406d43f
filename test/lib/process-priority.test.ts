import { once } from 'node:events';
import { spawn } from 'node:child_process';
import { getPriority } from 'node:os';
import { text } from 'node:stream/consumers';
import { expect } from 'chai';

/** A process that lowers its priority, and prints that of each of its threads, with one that it starts then. */
const LOWERED = `
import { readdirSync } from 'node:fs';
import { getPriority } from 'node:os';
import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { lowerProcessPriority } from ${JSON.stringify(new URL('../../src/lib/process-priority.js', import.meta.url).href)};
lowerProcessPriority();
const worker = new Worker('setInterval(() => undefined, 1_000)', { eval: true });
await once(worker, 'online');
console.log(JSON.stringify(readdirSync('/proc/self/task').map((thread) => getPriority(Number(thread)))));
process.exit();
`;

describe('The priority of a process', () => {
  it('is lowered for all threads, and those that it starts later', async function () {
    // Elsewhere threads have no priority of their own to look at.
    if (process.platform !== 'linux') this.skip();
    const child = spawn(process.execPath, ['--input-type=module', '--eval', LOWERED]);
    const [printed] = await Promise.all([text(child.stdout), once(child, 'exit')]);
    const priorities: unknown = JSON.parse(printed);
    expect(priorities).to.be.an('array').with.length.greaterThan(1);
    expect(new Set(priorities as number[])).to.deep.equal(new Set([Math.max(getPriority(), 10)]));
  });
});
