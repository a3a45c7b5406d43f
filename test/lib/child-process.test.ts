import { expect } from 'chai';
import { startChildProcess } from '../../src/lib/child-process.ts';
import { WorkerEndedError } from '../../src/lib/worker-client.ts';
import { rejectionOf } from '../support/refusal-of.ts';

describe('A process that cannot be started', () => {
  const { execPath } = process;
  afterEach(() => {
    process.execPath = execPath;
  });

  it('fails its tasks, and says why', async () => {
    process.execPath = '/nowhere/node';
    const module = new URL('./task-thread.js', import.meta.url);
    const child = startChildProcess<{ input: string }>(module, { environment: {}, heapMb: 32 });
    const error = await rejectionOf(child.run('anything'));
    expect(error).to.be.instanceOf(WorkerEndedError).with.property('message').that.includes('ENOENT');
  });
});
