import { expect } from 'chai';
import { execFile } from 'node:child_process';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { projections } from '../../projections/index.ts';
import { endLeftServices, runCli, serveHere, type Serving } from '../support/cli.ts';
import { eventually } from '../support/eventually.ts';
import { untilReady } from '../support/service.ts';
import { dumpReadModels } from '../support/read-model-dump.ts';
import { directoryForAll } from '../support/files.ts';
import { command, itWith } from '../support/tools.ts';

const run = promisify(execFile);

/** The demo is configured with a data directory and a port, and nothing else. */
const demo = {};

const CURLS = 5;
const curlsIn = (lines: readonly string[]) => lines.filter((line) => line.startsWith('curl '));

/** The lines that a start prints, once it has printed all. */
const printedBy = async (service: Serving): Promise<readonly string[]> => {
  const lines = () => service.printed().split('\n');
  await eventually('all is printed', () => curlsIn(lines()).length === CURLS);
  return lines();
};

describe('The demo, started with no configuration', function () {
  this.timeout(120_000);
  const directory = directoryForAll('hiring-demo-');
  before(async () => {
    await (await serveHere(directory(), demo)).end();
  });
  afterEach(endLeftServices);

  itWith([command('curl')], 'prints five curl lines that work when pasted', async () => {
    for (const curl of curlsIn(await printedBy(await serveHere(directory(), demo)))) {
      const { stdout } = await run('sh', ['-c', `${curl} -w '\\n%{http_code}'`]);
      const [body = '', status] = stdout.split('\n');
      expect(status, curl).to.equal('200');
      expect(JSON.parse(body), curl).to.be.an('object').that.does.not.have.property('error');
    }
  });

  it('prints the address of the console first, which is there', async () => {
    const service = await serveHere(directory(), demo);
    const [first = ''] = (await printedBy(service)).filter((line) => line !== '' && !line.startsWith('{'));
    expect(first).to.equal(`Open the console in a browser:  ${service.url}/console/`);
    expect((await fetch(`${service.url}/console/`)).status).to.equal(200);
  });

  it('prints an API key of each scope and a token each for a professional, an office and an administrator', async () => {
    const lines = await printedBy(await serveHere(directory(), demo));
    expect(lines.join('\n'))
      .to.match(/^API key, scope client: +\S+$/m)
      .and.to.match(/^API key, scope internal: +\S+$/m);
    const tokens = lines.filter((line) => line.startsWith('eyJ'));
    const claims = tokens.map(
      (token) => JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString()) as object,
    );
    expect(claims.map((one) => Object.keys(one).filter((name) => !['sub', 'iat', 'exp'].includes(name)))).to.deep.equal(
      [['professional_id'], ['office_id'], ['roles']],
    );
  });

  it('seeds once: started again it has the same data, also when the read models were deleted', async () => {
    const dump = () => dumpReadModels(join(directory(), 'read-models.db'));
    const first = dump();
    await (await serveHere(directory(), demo)).end();
    expect(dump()).to.deep.equal(first);

    for (const name of await readdir(directory()))
      if (name.startsWith('read-models.db')) await rm(join(directory(), name), { force: true });
    const service = await serveHere(directory(), demo);
    await untilReady(service.url);
    await service.end();
    expect(dump()).to.deep.equal(first);
  });

  it('tells where every projection stands, while it runs and after', async () => {
    const service = await serveHere(directory(), demo);
    const running = await runCli(directory(), ['projections', 'list', '--json'], demo);
    await service.end();
    const stopped = await runCli(directory(), ['projections', 'list', '--json'], demo);
    expect(stopped.stdout).to.equal(running.stdout);
    const lines = JSON.parse(stopped.stdout) as { projection: string; lagEvents: number }[];
    expect(lines.map(({ projection }) => projection)).to.deep.equal(projections.map(({ name }) => name));
    expect(lines.every(({ lagEvents }) => lagEvents === 0)).to.equal(true);
  });
});

describe('hiring token', () => {
  it('prints a token that the service takes', async () => {
    const directory = await mkdtemp(join(tmpdir(), 'hiring-token-'));
    const service = await serveHere(directory, demo);
    const { stdout } = await runCli(
      directory,
      ['token', '--user', 'somebody', '--professional', 'somebody-else'],
      demo,
    );
    const answer = await fetch(`${service.url}/postings/saved`, {
      headers: { 'X-API-Key': 'demo-client-key', Authorization: `Bearer ${stdout.trim()}` },
    });
    await service.end();
    await rm(directory, { recursive: true });
    expect(answer.status).to.equal(200);
  });
});
