import { expect } from 'chai';
import { statSync } from 'node:fs';
import { chmod, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { specialties } from '../../projections/specialties.ts';
import { configured, killLeftProcesses, serveProcess } from '../support/process.ts';
import { untilReady } from '../support/service.ts';

describe('The files of the service', () => {
  let directory: string;
  beforeEach(async () => {
    directory = await mkdtemp(join(tmpdir(), 'hiring-modes-'));
  });
  afterEach(async () => {
    killLeftProcesses();
    await rm(directory, { recursive: true });
  });

  /** The files of a folder, and which of them other users may read or write. */
  const filesIn = async (folder: string) => {
    const names = await readdir(folder);
    // SQLite may have removed a journal since the listing.
    const modeOf = (name: string) => statSync(join(folder, name), { throwIfNoEntry: false })?.mode ?? 0;
    return { names, open: names.filter((name) => (modeOf(name) & 0o077) !== 0) };
  };

  it('can be read by no other user, in a directory that was there before', async () => {
    await chmod(directory, 0o755);
    const service = await serveProcess(directory);
    await untilReady(service.url);
    const { names, open } = await filesIn(directory);
    expect(names).to.include.members([
      'events.db',
      `read-models.db.specialties@${specialties.version}.1`,
      'projections.db',
      'owner.pid',
    ]);
    expect(open).to.deep.equal([]);
    await service.end('SIGTERM');
  });

  it('can be read by no other user, though they could before; and other files are left alone', async () => {
    await (await serveProcess(directory)).end('SIGKILL');
    const { names } = await filesIn(directory);
    for (const name of names) await chmod(join(directory, name), 0o644);
    await writeFile(join(directory, 'notes.txt'), 'of the operator', { mode: 0o644 });
    const service = await serveProcess(directory);
    expect((await filesIn(directory)).open).to.deep.equal(['notes.txt']);
    await service.end('SIGTERM');
  });

  it('can be read by no other user under names of their own', async () => {
    const stores = {
      EVENT_STORE_URL: `sqlite:${join(directory, 'log.sqlite')}`,
      READ_MODEL_URL: `sqlite:${join(directory, 'lists.sqlite')}`,
    };
    await (await serveProcess(directory, { ...configured, ...stores })).end('SIGTERM');
    await chmod(join(directory, 'log.sqlite'), 0o666);
    const service = await serveProcess(directory, { ...configured, ...stores });
    expect((await filesIn(directory)).open).to.deep.equal([]);
    await service.end('SIGTERM');
  });
});
