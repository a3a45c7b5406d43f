import { once } from 'node:events';
import { getPriority } from 'node:os';
import { Worker } from 'node:worker_threads';
import { expect } from 'chai';

/** What a thread says of its own priority. */
const OWN = `require('node:os').getPriority(Number(require('node:fs').readlinkSync('/proc/thread-self').split('/').pop()))`;

/** A thread that lowers its priority, and tells it and that of a thread which it starts then. */
const LOWERED = `
const { parentPort, Worker } = require('node:worker_threads');
import(${JSON.stringify(new URL('../../src/lib/thread-priority.js', import.meta.url).href)}).then((lib) => {
  lib.lowerThreadPriority();
  new Worker(${JSON.stringify(`require('node:worker_threads').parentPort.postMessage(${OWN})`)}, { eval: true })
    .on('message', (started) => parentPort.postMessage([${OWN}, started]));
});
`;

describe('The priority of a thread', () => {
  it('is lowered for that thread and those it starts, and not for the others', async function () {
    // Elsewhere a thread has no priority of its own.
    if (process.platform !== 'linux') this.skip();
    const before = getPriority();
    const [[own, started]] = (await once(new Worker(LOWERED, { eval: true }), 'message')) as [[number, number]];
    expect([own, started]).to.deep.equal([Math.max(before, 5), Math.max(before, 5)]);
    expect(getPriority()).to.equal(before);
  });
});
