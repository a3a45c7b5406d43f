import { setImmediate } from 'node:timers/promises';
import { expect } from 'chai';
import { createConcurrencyLimiter } from '../../src/http/concurrency-limiter.ts';
import { refusalOf } from '../support/refusal-of.ts';

describe('Places', () => {
  const LONG_MS = 60_000;
  /** Four places, of which a user has two, and who has come in so far. */
  const stage = (waitMs = LONG_MS) => {
    const places = createConcurrencyLimiter({
      all: 4,
      ofUser: 2,
      waitMs,
      retryAfterSeconds: 1,
      refusal: (count, isOfUser) => `${count} ${isOfUser ? 'of the user' : 'in all'} are taken`,
    });
    const inside: string[] = [];
    const leaves = new Map<string, () => void>();
    const take = async (name: string, { signal } = new AbortController()): Promise<void> => {
      const [user = ''] = name;
      leaves.set(name, await places.take(user, signal));
      inside.push(name);
    };
    return {
      inside,
      take,
      /** Begins to take places, in this order, and does not wait for them; some are refused after the test. */
      queue: async (...names: readonly string[]) => {
        for (const name of names) take(name).catch(() => undefined);
        await setImmediate();
      },
      leave: async (name: string) => {
        leaves.get(name)?.();
        await setImmediate();
      },
    };
  };

  it('are given to one user as far as its own go, and to others meanwhile', async () => {
    const { queue, inside } = stage();
    await queue('a1', 'a2', 'a3', 'b1');
    expect(inside).to.deep.equal(['a1', 'a2', 'b1']);
  });

  it('go to whoever waits when one is given back, which counts once', async () => {
    const { queue, inside, leave } = stage();
    await queue('a1', 'a2', 'a3', 'a4');
    await leave('a1');
    await leave('a1');
    expect(inside).to.deep.equal(['a1', 'a2', 'a3']);
  });

  it('go to the user who has the fewest, and then to who has waited longest', async () => {
    const { queue, inside, leave } = stage();
    await queue('a1', 'a2', 'b1', 'b2', 'a3', 'b3', 'c1', 'd1', 'c2');
    await leave('a1');
    await leave('b1');
    await leave('a2');
    expect(inside.slice(4)).to.deep.equal(['c1', 'd1', 'a3']);
  });

  it('are no longer waited for by who has gone', async () => {
    const { queue, take, inside, leave } = stage();
    const going = new AbortController();
    await queue('a1', 'a2');
    const gone = refusalOf(take('a3', going));
    await queue('a4');
    going.abort();
    expect(await gone).to.include({ reason: 'unavailable' });
    await leave('a1');
    expect(inside).to.deep.equal(['a1', 'a2', 'a4']);
  });

  it('are refused where they were waited for in vain, with what keeps them', async () => {
    const { queue, take } = stage(1);
    await queue('a1', 'a2');
    expect(await refusalOf(take('a3'))).to.include({
      reason: 'too-many',
      retryAfter: 1,
      message: '2 of the user are taken',
    });
    await queue('b1', 'b2');
    expect(await refusalOf(take('c1'))).to.include({ reason: 'too-many', message: '4 in all are taken' });
  });

  it('are refused at once where none is waited for', async () => {
    const { queue, take, inside } = stage(0);
    await queue('a1', 'a2', 'b1');
    expect(await refusalOf(take('a3'))).to.include({ reason: 'too-many' });
    expect(inside).to.deep.equal(['a1', 'a2', 'b1']);
  });

  it('are refused at once where many of the user wait, and others still may', async () => {
    const { queue, take, inside } = stage();
    const names = Array.from({ length: 18 }, (_, index) => `a${index}`);
    await queue(...names);
    expect(await refusalOf(take('a18'))).to.include({ reason: 'too-many' });
    await queue('b1');
    expect(inside).to.deep.equal(['a0', 'a1', 'b1']);
  });
});
