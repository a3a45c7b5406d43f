import { once } from 'node:events';
import { spawn, spawnSync } from 'node:child_process';
import { getPriority } from 'node:os';
import { text } from 'node:stream/consumers';
import { expect } from 'chai';
import type { ProcessPriority } from '../../src/lib/process-priority.ts';

const hasChrt = spawnSync('chrt', ['--version']).error === undefined;
/** SCHED_OTHER and SCHED_IDLE, as /proc shows them. sched(7) */
const POLICY = { low: '0', idle: hasChrt ? '5' : '0' };

/** A process that lowers its priority, and prints that of each of its threads, with one that it starts then. */
const lowered = (priority: ProcessPriority) => `
import { readdirSync, readFileSync } from 'node:fs';
import { getPriority } from 'node:os';
import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { lowerProcessPriority } from ${JSON.stringify(new URL('../../src/lib/process-priority.js', import.meta.url).href)};
lowerProcessPriority('${priority}');
const worker = new Worker('setInterval(() => undefined, 1_000)', { eval: true });
await once(worker, 'online');
// The 41st field, of which the second may hold blanks. proc_pid_stat(5)
const policyOf = (thread) => readFileSync('/proc/self/task/' + thread + '/stat', 'utf8').replace(/.*\\) /s, '').split(' ')[38];
console.log(JSON.stringify(readdirSync('/proc/self/task').map((thread) => [getPriority(Number(thread)), policyOf(thread)])));
process.exit();
`;

describe('The priority of a process', () => {
  for (const priority of ['low', 'idle'] as const)
    it(`is lowered to ${priority} for all threads, and those that it starts later`, async function () {
      // Elsewhere threads have no priority of their own to look at.
      if (process.platform !== 'linux') this.skip();
      const child = spawn(process.execPath, ['--input-type=module', '--eval', lowered(priority)]);
      const [printed] = await Promise.all([text(child.stdout), once(child, 'exit')]);
      const threads: unknown = JSON.parse(printed);
      expect(threads).to.be.an('array').with.length.greaterThan(1);
      for (const thread of threads as unknown[])
        expect(thread).to.deep.equal([Math.max(getPriority(), 10), POLICY[priority]]);
    });
});
