import { expect } from 'chai';
import { createNextRunCoalescer } from '../../src/lib/next-run-coalescer.ts';

/** Tasks that the test ends. */
const stage = () => {
  const begun: { end: (value: string) => void; fail: (error: Error) => void }[] = [];
  const task = () => new Promise<string>((resolve, reject) => begun.push({ end: resolve, fail: reject }));
  return { begun, task, share: createNextRunCoalescer<string>() };
};

describe('Shared tasks', () => {
  it('begin at once where none is under way', async () => {
    const { begun, task, share } = stage();
    const asked = share('a', task);
    begun[0]?.end('read');
    expect(await asked).to.equal('read');
  });

  it('give no caller a run that began before it asked, and run once for all that wait', async () => {
    const { begun, task, share } = stage();
    // Given a task that is under way
    const first = share('a', task);
    // When two more callers ask
    const later = [share('a', task), share('a', task)];
    expect(begun).to.have.length(1);
    begun[0]?.end('old');
    expect(await first).to.equal('old');
    // Then one more task is run for both
    expect(begun).to.have.length(2);
    begun[1]?.end('new');
    expect(await Promise.all(later)).to.deep.equal(['new', 'new']);
  });

  it('of one key leave those of another alone', () => {
    const { begun, task, share } = stage();
    void share('a', task);
    void share('b', task);
    expect(begun).to.have.length(2);
  });

  it('run for those who wait after one has failed, which only its own caller is told', async () => {
    const { begun, task, share } = stage();
    const first = share('a', task);
    const later = share('a', task);
    begun[0]?.fail(new Error('away'));
    expect(await first.catch((error: unknown) => String(error))).to.equal('Error: away');
    begun[1]?.end('back');
    expect(await later).to.equal('back');
  });
});
