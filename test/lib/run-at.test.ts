import { expect } from 'chai';
import { runAt } from '../../src/lib/run-at.ts';

describe('A task at a time', () => {
  it('runs once, not before its time', async () => {
    const time = Date.now() + 20;
    const ranAt = await new Promise<number>((resolve) => {
      runAt(time, () => resolve(Date.now()));
    });
    expect(ranAt).to.be.at.least(time);
  });

  it('runs at once where its time has passed', () => {
    let runs = 0;
    runAt(Date.now() - 1, () => runs++);
    expect(runs).to.equal(1);
  });

  it('waits for a time that no timer of Node.js reaches, and for ever', async () => {
    let runs = 0;
    const cancels = [Date.now() + 2 ** 40, Infinity].map((time) => runAt(time, () => runs++));
    // A timer that is too long fires after 1 ms, before this one.
    await new Promise<void>((resolve) => runAt(Date.now() + 10, resolve));
    for (const cancel of cancels) cancel();
    expect(runs).to.equal(0);
  });

  it('does not run once it was cancelled', async () => {
    let runs = 0;
    runAt(Date.now() + 5, () => runs++)();
    await new Promise<void>((resolve) => runAt(Date.now() + 10, resolve));
    expect(runs).to.equal(0);
  });
});
