import { expect } from 'chai';
import { chmod, mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { specialties } from '../../projections/specialties.ts';
import { endLeftServices, serveHere } from '../support/cli.ts';
import { openToOthersIn } from '../support/files.ts';
import { configured, killLeftProcesses, serveProcess } from '../support/process.ts';
import { untilReady } from '../support/service.ts';

describe('The files of the service', () => {
  let directory: string;
  beforeEach(async () => {
    directory = await mkdtemp(join(tmpdir(), 'hiring-modes-'));
  });
  afterEach(async () => {
    killLeftProcesses();
    await endLeftServices();
    await rm(directory, { recursive: true });
  });

  it('can be read by no other user, in a directory that was there before', async () => {
    await chmod(directory, 0o755);
    const service = await serveProcess(directory);
    await untilReady(service.url);
    expect(await readdir(directory)).to.include.members([
      'events.db',
      `read-models.db.specialties@${specialties.version}.1`,
      'projections.db',
      'owner.pid',
    ]);
    expect(await openToOthersIn(directory)).to.deep.equal([]);
    await service.end('SIGTERM');
  });

  it('can be read by no other user under names of their own', async () => {
    const stores = {
      EVENT_STORE_URL: `sqlite:${join(directory, 'log.sqlite')}`,
      READ_MODEL_URL: `sqlite:${join(directory, 'lists.sqlite')}`,
    };
    await (await serveHere(directory, { ...configured, ...stores })).end();
    await chmod(join(directory, 'log.sqlite'), 0o666);
    const service = await serveProcess(directory, { ...configured, ...stores });
    expect(await openToOthersIn(directory)).to.deep.equal([]);
    await service.end('SIGTERM');
  });
});
