import { Writable } from 'node:stream';
import { expect } from 'chai';
import { printPieces } from '../../src/cli/parts/print.ts';

async function* pieces() {
  await Promise.resolve();
  yield* ['a', 'b'];
}

/** Takes one piece, and fails at the next. */
const failingWith = (code: string) => {
  const taken: string[] = [];
  const output = new Writable({
    decodeStrings: false,
    write(chunk, _encoding, done) {
      if (taken.length > 0) done(Object.assign(new Error(`write ${code}`), { code }));
      else {
        taken.push(String(chunk));
        done();
      }
    },
  });
  // As the process hears of its standard output's.
  output.on('error', () => undefined);
  return { output, taken };
};

describe('What is written to standard output', () => {
  it('ends without a complaint where its reader has closed the pipe', async () => {
    const { output, taken } = failingWith('EPIPE');
    await printPieces(output, pieces());
    expect(taken).to.deep.equal(['a']);
  });

  it('complains of any other failure', async () => {
    const failure = await printPieces(failingWith('ENOSPC').output, pieces()).catch((error: unknown) => error);
    expect(failure).to.be.an('error').with.property('message', 'write ENOSPC');
  });
});
