import { expect } from 'chai';
import { CliError } from '../../src/cli/parts/cli-error.ts';
import { ServiceInterruptedError } from '../../src/cli/parts/service-client.ts';
import { resumableItems } from '../../src/cli/parts/service-retries.ts';
import { rejectionOf } from '../support/refusal-of.ts';

const ALL = ['a', 'b', 'c', 'd', 'e'];

describe('What a service gives', () => {
  let [said, pauses]: [string, number[]] = ['', []];
  beforeEach(() => {
    [said, pauses] = ['', []];
  });
  const { signal: staying } = new AbortController();

  /** Reads all of it; each answer gives as many as it is told, and then fails. */
  const reading = async (
    answers: readonly (readonly [count: number, error?: Error])[],
    signal = staying,
  ): Promise<readonly string[]> => {
    const left = [...answers];
    const asked = async function* (count: number, last: string | undefined) {
      expect(last).to.equal(count === 0 ? undefined : ALL[count - 1]);
      const [given, error] = left.shift() ?? [0];
      yield* await Promise.resolve(ALL.slice(count, count + given));
      if (error) throw error;
    };
    const stderr = { write: (text: string) => (said += text) } as unknown as NodeJS.WritableStream;
    const pause = (milliseconds: number): Promise<void> => {
      pauses.push(milliseconds);
      return Promise.resolve();
    };
    const items: string[] = [];
    for await (const item of resumableItems({ stderr, pause }, asked, signal)) items.push(item);
    return items;
  };
  const cut = new ServiceInterruptedError('the answer is cut');

  it('is asked for from where it was cut, as often as that gives something', async () => {
    const often = ALL.map(() => [1, cut] as const);
    expect(await reading([...often, [0]])).to.deep.equal(ALL);
    expect(said.trimEnd().split('\n')).to.have.length(ALL.length);
    expect(said).to.match(/^hiring: the answer is cut; it is asked for the rest\n/);
  });

  it('is waited for longer and longer while nothing comes, and given up', async () => {
    const failure = await rejectionOf(reading([[2, cut], ...Array.from({ length: 20 }, () => [0, cut] as const)]));
    expect(failure).to.equal(cut);
    expect(pauses).to.have.length(8);
    expect(pauses[0]).to.be.within(250, 500);
    expect(pauses.at(-1)).to.be.within(5_000, 10_000);
  });

  it('is asked for no sooner than the service says, if that is soon', async () => {
    expect(await reading([[2, new ServiceInterruptedError('busy', 30)], [3]])).to.deep.equal(ALL);
    expect(pauses).to.deep.equal([30_000]);
    const late = new ServiceInterruptedError('busy for long', 3_600);
    expect(await rejectionOf(reading([[2, late]]))).to.equal(late);
  });

  it('is given up at once where it is refused', async () => {
    const refused = new CliError('of another version');
    expect(await rejectionOf(reading([[2, refused], [3]]))).to.equal(refused);
  });

  it('is no longer waited for once the command is told to end', async () => {
    const ended = new CliError('Ended by SIGINT');
    const failure = await rejectionOf(reading([[2, cut], [3]], AbortSignal.abort(ended)));
    expect(failure).to.equal(ended);
  });
});
