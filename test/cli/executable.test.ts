import { once } from 'node:events';
import { join } from 'node:path';
import { expect } from 'chai';
import { NO_STREAM } from '../../src/event-store/port.ts';
import { appended, newEvent } from '../contract/new-events.ts';
import { runProcess, spawnCli } from '../support/process.ts';
import { openLogHere } from '../support/threads-here.ts';
import { directoryForAll } from '../support/files.ts';

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

  it('ends with 0 when its reader closes the pipe', async () => {
    const child = spawnCli(directory(), ['--help'], {});
    child.stdout?.destroy();
    expect(await once(child, 'exit')).to.deep.equal([0, null]);
  });
});
