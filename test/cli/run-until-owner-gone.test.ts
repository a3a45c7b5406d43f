import { setTimeout as delay } from 'node:timers/promises';
import { expect } from 'chai';
import { runUntilOwnerGone } from '../../src/cli/projections/run-until-owner-gone.ts';
import { DirectoryInUseError } from '../../src/cli/parts/data-directory.ts';

describe('Waiting while another process has the files', () => {
  const LOOK_MS = 1;
  const forEver = async (signal: AbortSignal): Promise<never> => {
    await delay(2 ** 30, undefined, { signal }).catch(() => undefined);
    throw signal.reason;
  };
  /** Plays another process that holds the files, except at the looks that find them free. */
  const takes = (isFree: (look: number) => boolean) => {
    const seen = { looks: 0, given: 0 };
    const take = () => {
      if (!isFree(seen.looks++)) throw new DirectoryInUseError('in use by another');
      return () => {
        seen.given++;
      };
    };
    return { seen, take };
  };

  it('gives what is waited for', async () => {
    const { take } = takes(() => false);
    expect(await runUntilOwnerGone(take, () => Promise.resolve('done'), LOOK_MS)).to.equal('done');
  });

  it('ends when no process has had them for ten looks, and keeps them from none', async () => {
    const { take, seen } = takes((look) => look >= 3);
    const ending = runUntilOwnerGone(take, forEver, LOOK_MS).then(String, String);
    expect(await ending).to.equal(
      'Error: The process that had the data directory has ended; the same command goes on with what it left',
    );
    expect(seen).to.deep.equal({ looks: 13, given: 10 });
  });

  it('goes on when a process has them again', async () => {
    const { take, seen } = takes((look) => look < 9 || look > 9);
    await runUntilOwnerGone(take, forEver, LOOK_MS).catch(() => undefined);
    expect(seen.looks).to.equal(20);
  });

  it('ends with what went wrong when they cannot be looked at', async () => {
    const take = () => {
      throw new Error('no such disk');
    };
    expect(await runUntilOwnerGone(take, forEver, LOOK_MS).then(String, String)).to.equal('Error: no such disk');
  });
});
