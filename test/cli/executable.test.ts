import { once } from 'node:events';
import { join } from 'node:path';
import { expect } from 'chai';
import { NO_STREAM } from '../../src/event-store/port.ts';
import { appended, newEvent } from '../contract/new-events.ts';
import { configured, runProcess, spawnCli } from '../support/process.ts';
import { readFile } from '../support/project.ts';
import { openLogHere } from '../support/threads-here.ts';
import { directoryForAll } from '../support/files.ts';

/** The oldest version that `engines` allows. */
const [, needed = ''] = /"node": ">=([\d.]+)"/.exec(readFile('package.json')) ?? [];

describe('The executable', () => {
  const directory = directoryForAll('hiring-executable-');
  before(async () => {
    const log = await openLogHere(join(directory(), 'events.db'));
    const events = [{ ...newEvent({}), type: 'PostingVanished' }];
    await appended(log, { stream: 'posting-a', expectedRevision: NO_STREAM, events });
    await log.close();
  });

  it('ends with 0 when all is well, and writes to standard output', async () => {
    const { code, stdout, stderr } = await runProcess(directory(), ['--help']);
    expect([code, stderr]).to.deep.equal([0, '']);
    expect(stdout).to.match(/^Usage: hiring /);
  });

  it('ends with 1 when not all is well, and tells on both', async () => {
    const { code, stdout, stderr } = await runProcess(directory(), ['history', 'types']);
    expect(code).to.equal(1);
    expect(stderr).to.match(/\nhiring: This code cannot read 1 of the log's events\n$/);
    expect(stdout).to.include('PostingVanished');
  });

  it('ends with 2 for what the operator can mend, and complains on standard error', async () => {
    const complaint = "hiring: unknown command 'fly'\n";
    expect(await runProcess(directory(), ['fly'])).to.deep.equal({ code: 2, stdout: '', stderr: complaint });
  });

  describe('on a Node.js that is said to be', () => {
    /** Of an executable that takes this Node.js for one of another version. */
    const runOn = (version: string) => {
      const other = `Object.defineProperty(process, 'versions', { value: { ...process.versions, node: '${version}' } })`;
      const preloaded = `data:text/javascript,${encodeURIComponent(other)}`;
      return runProcess(directory(), ['--help'], { ...configured, NODE_OPTIONS: `--import=${preloaded}` });
    };

    for (const version of ['18.20.8', '20.18.3'])
      it(`${version}, ends with 2 and one line that says which is needed`, async () => {
        expect(await runOn(version)).to.deep.equal({
          code: 2,
          stdout: '',
          stderr: `hiring: Node.js ${needed} or newer is needed, and this is ${version}\n`,
        });
      });

    for (const version of [`${needed}.0`, '21.0.0'])
      it(`${version}, runs`, async () => {
        expect((await runOn(version)).code).to.equal(0);
      });
  });

  it('ends with 0 when its reader closes the pipe', async () => {
    const child = spawnCli(directory(), ['--help'], {});
    child.stdout?.destroy();
    expect(await once(child, 'exit')).to.deep.equal([0, null]);
  });
});
