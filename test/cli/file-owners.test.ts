import { chmodSync, chownSync, readdirSync, statSync } from 'node:fs';
import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import { bodies, ids } from '../support/examples.ts';
import { directoryForEach } from '../support/files.ts';
import {
  configured,
  killLeftProcesses,
  runProcess,
  sendTo,
  serveProcess,
  type MachineUser,
} from '../support/process.ts';
import { untilReady } from '../support/service.ts';
import { describeWith, NOBODY, otherUsers } from '../support/tools.ts';

/** What an administrator runs as root, on the files of a service that another user runs. */
describeWith([otherUsers], 'Files in a data directory', function () {
  this.timeout(60_000);
  const place = directoryForEach('hiring-owners-');
  const data = (): string => join(place(), 'data');
  beforeEach(async () => {
    // Where other users may go through.
    chmodSync(place(), 0o755);
    await mkdir(data());
    chownSync(data(), NOBODY.uid, NOBODY.gid);
  });
  afterEach(killLeftProcesses);

  const serve = async (user: MachineUser): Promise<void> => {
    const service = await serveProcess(data(), configured, user);
    await untilReady(service.url);
    const written = await sendTo(service, 'PUT', `/internal/offices/${ids.office}`, { body: bodies.office });
    expect(written.status).to.equal(204);
    expect(await service.end('SIGTERM')).to.equal(0);
  };
  const asRoot = async (...args: readonly string[]): Promise<void> => {
    const { code, stderr } = await runProcess(data(), args);
    expect(code, stderr).to.equal(0);
  };
  /** The files of other owners, groups or modes than these. */
  const others = ({ uid, gid }: MachineUser, mode: number) =>
    readdirSync(data()).filter((name) => {
      const found = statSync(join(data(), name));
      return found.uid !== uid || found.gid !== gid || (found.mode & 0o777) !== mode;
    });

  it('belong to the user of the service, whatever root makes', async () => {
    await serve(NOBODY);
    for (const lost of ['projections.db', 'owner.lock', 'owner.pid']) await rm(join(data(), lost));
    for (const act of ['pause', 'resume']) await asRoot('projections', act, 'specialties');
    await asRoot('projections', 'rebuild', '--all');
    await asRoot('backup', '--to', join(data(), 'backup.db'));
    await asRoot('restore', '--from', join(data(), 'backup.db'), '--replace');
    expect(others(NOBODY, 0o600)).to.deep.equal([]);
    await serve(NOBODY);
  });

  it('belong to the owner of the directory, where root begins the event log', async () => {
    await asRoot('seed', '--candidates', '1');
    expect(others(NOBODY, 0o600)).to.deep.equal([]);
    await serve(NOBODY);
  });

  it('are of the group that may write the directory, as with Kubernetes’ fsGroup', async () => {
    const group = 2_000;
    chownSync(data(), 0, group);
    chmodSync(data(), 0o2775);
    await serve({ uid: 65_533, gid: group });
    await asRoot('projections', 'rebuild', 'specialties');
    expect(others({ uid: 65_533, gid: group }, 0o660)).to.deep.equal([]);
    await serve({ uid: 65_532, gid: group });
  });

  it('are not made by a user whose files the service could not open', async () => {
    chmodSync(data(), 0o777);
    await serve(NOBODY);
    await rm(join(data(), 'owner.lock'));
    const { code, stderr } = await runProcess(data(), ['seed'], configured, { uid: 65_533, gid: 65_533 });
    expect([code, stderr]).to.deep.equal([
      2,
      `hiring: The event log in ${data()} is of the user with id 65534, and this process has the id 65533; allowed: that user, or root; chown gives it to another\n`,
    ]);
    expect(others(NOBODY, 0o600)).to.deep.equal([]);
  });

  it('that the service may not open end a start by one line', async () => {
    await serve(NOBODY);
    for (const name of readdirSync(data())) chownSync(join(data(), name), 0, 0);
    const { code, stderr } = await runProcess(data(), ['serve'], configured, NOBODY);
    expect(code).to.equal(2);
    expect(stderr)
      .to.match(/^hiring: .*\n$/)
      .and.include(data());
  });

  it('of one read model that the service may not open end a start by one line', async () => {
    await serve(NOBODY);
    const name = readdirSync(data()).find((each) => each.includes('specialties@')) ?? '';
    chownSync(join(data(), name), 0, 0);
    const { code, stderr } = await runProcess(data(), ['serve'], configured, NOBODY);
    expect(code).to.equal(2);
    expect(stderr)
      .to.match(/^hiring: .*\n$/)
      .and.include(name);
  });
});
