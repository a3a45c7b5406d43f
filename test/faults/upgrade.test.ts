import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { expect } from 'chai';
import { bodies, claims } from '../support/examples.ts';
import { eventually } from '../support/eventually.ts';
import {
  CLI,
  configured,
  exchange,
  killLeftProcesses,
  runProcess,
  serveProcess,
  type Running,
} from '../support/process.ts';
import { newDatabase, newPrefix, withBothServers } from '../support/servers.ts';
import { tokenFor } from '../support/service.ts';
import { describeWith } from '../support/tools.ts';

/** The last commit before event logs had an identity and events had checksums. */
const OLD_COMMIT = '76a1ca9c3d4cd2c6b485137555baac500a0a12e6';
const ROOT = resolve(import.meta.dirname, '../../..');
const git = (...args: readonly string[]) => spawnSync('git', ['-C', ROOT, ...args]);
const history = {
  name: `commit ${OLD_COMMIT.slice(0, 7)} in this clone`,
  isThere: () => git('cat-file', '-e', `${OLD_COMMIT}^{commit}`).status === 0,
};

/** Builds the old code with the packages of today, which are all of those it needs. Gives its command line. */
const buildOld = (): { readonly directory: string; readonly cli: string } => {
  const directory = mkdtempSync(join(tmpdir(), 'hiring-old-'));
  execFileSync('git', ['clone', '--quiet', '--shared', '--no-checkout', ROOT, directory]);
  execFileSync('git', ['-C', directory, 'checkout', '--quiet', OLD_COMMIT]);
  symlinkSync(join(ROOT, 'node_modules'), join(directory, 'node_modules'));
  execFileSync('npm', ['run', '--silent', 'build'], { cwd: directory });
  return { directory, cli: join(directory, 'dist/bin/hiring.js') };
};

const POSTING = 'posting-of-upgrades';
const CANDIDATES = `/admin/postings/${POSTING}/candidates`;

/** What the service answers to reads of each read model, once these hold the candidates of the posting. */
const answersOf = async (service: Running, professionals: readonly string[]): Promise<readonly unknown[]> => {
  const get = async (path: string, bearer: string) => {
    const { status, body } = await exchange(service.url, { method: 'GET', path, bearer });
    expect(status, path).to.equal(200);
    return { path, body };
  };
  const admin = await tokenFor(claims.admin, '1d');
  await eventually(`the service lists ${professionals.length} candidates`, async () => {
    const { body } = await get(CANDIDATES, admin);
    return professionals.every((id) => JSON.stringify(body).includes(id));
  });
  const own = await Promise.all(
    professionals.map(async (id) => {
      const bearer = await tokenFor({ sub: `user-of-${id}`, professional_id: id }, '1d');
      return [await get('/professionals/candidates?category=active', bearer), await get('/postings/saved', bearer)];
    }),
  );
  return [await get(CANDIDATES, admin), ...own.flat()];
};

/** A professional saves the posting and applies to it. */
const apply = async (service: Running, professionalId: string): Promise<void> => {
  const userId = `user-of-${professionalId}`;
  const bearer = await tokenFor({ sub: userId, professional_id: professionalId }, '1d');
  const send = async (method: string, path: string, body: unknown) => {
    const { status } = await exchange(service.url, { method, path, body, bearer });
    expect(status, path).to.be.within(200, 204);
  };
  await send('PUT', `/internal/offices/${bodies.posting.officeId}`, bodies.office);
  await send('PUT', `/internal/postings/${POSTING}`, bodies.posting);
  await send('PUT', `/internal/professionals/${professionalId}`, { ...bodies.professional, userId });
  await send('POST', '/professionals/postings/save', { postingId: POSTING });
  await send('POST', `/postings/${POSTING}/candidates`, { resumeId: 'resume-1' });
};

/** Old code fills the stores; today's code and the old take turns on them, and each reads what the other wrote. */
const suite = (environmentFor: () => Readonly<Record<string, string>>): void => {
  let old: ReturnType<typeof buildOld>;
  let directory: string;
  before(function () {
    this.timeout(300_000);
    old = buildOld();
  });
  beforeEach(() => (directory = mkdtempSync(join(tmpdir(), 'hiring-upgrade-'))));
  afterEach(() => {
    killLeftProcesses();
    rmSync(directory, { recursive: true });
  });
  after(() => rmSync(old.directory, { recursive: true }));

  it('is read by today’s code, goes back to the old code with what was added, and comes again', async function () {
    this.timeout(300_000);
    const environment = { ...configured, ...environmentFor() };
    const professionals: string[] = [];
    /** One start of some code, during which a professional is added. */
    const turn = async (cli: string) => {
      const service = await serveProcess(directory, environment, undefined, cli);
      const found = await answersOf(service, professionals);
      const added = `professional-${professionals.length}`;
      await apply(service, added);
      professionals.push(added);
      const left = await answersOf(service, professionals);
      expect(await service.end('SIGTERM')).to.equal(0);
      return { found, left };
    };
    // Given
    const filled = await turn(old.cli);
    // When
    const upgraded = await turn(CLI);
    const rolledBack = await turn(old.cli);
    const upgradedAgain = await turn(CLI);
    // Then
    expect(upgraded.found).to.deep.equal(filled.left);
    expect(rolledBack.found).to.deep.equal(upgraded.left);
    expect(upgradedAgain.found).to.deep.equal(rolledBack.left);
    const { code, stdout, stderr } = await runProcess(directory, ['check'], environment);
    expect(code, stdout + stderr).to.equal(0);
  });
};

describeWith([history], 'A data directory that older code has filled', () => suite(() => ({})));

withBothServers('Servers that older code has filled', ({ eventStore, mongo }) => {
  describeWith([history], 'Servers that older code has filled', () => {
    const database = newDatabase(mongo);
    after(() => database.drop());
    suite(() => ({ EVENT_STORE_URL: eventStore, EVENT_STORE_PREFIX: newPrefix(), READ_MODEL_URL: database.url }));
  });
});
