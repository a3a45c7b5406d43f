import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { professionalDecider } from '../../../src/domain/professional.ts';
import { START_POSITION } from '../../../src/event-store/port.ts';
import { march, measured, world } from '../../history/report/world.ts';
import { endLeftServices, runCli, serveHere } from '../../support/cli.ts';
import { bodies, claims } from '../../support/examples.ts';
import { on, storeWith, type Fact } from '../../support/facts.ts';
import { newServerStores, withBothServers } from '../../support/servers.ts';
import { processKeys } from '../../support/process.ts';
import { tokenFor, untilReady } from '../../support/service.ts';
import { historyStage, type HistoryPlace } from './stage.ts';
import { openLogHere } from '../../support/threads-here.ts';

/** Values that stand nowhere else. */
const planted = {
  firstName: 'Plantedfirst',
  lastName: 'Plantedlast',
  email: 'planted@example.org',
  phone: '+15125550199',
  picture: 'https://example.org/planted.png',
  // Where none of the others lives: in Nebraska.
  latitude: 41.123_457,
  longitude: -99.987_654,
};

const plantedPerson: Fact = on(
  professionalDecider,
  'bob',
)({ type: 'ProfessionalRecorded', data: { professionalId: 'bob', ...bodies.professional, ...planted } });

const suite = (place?: HistoryPlace) => {
  const { directory, given, positions, usingLog, history } = historyStage(place);
  const report = (...options: readonly string[]) => history('report', ...options);
  const acts = () =>
    usingLog(async (log) => {
      const events = await log.readAll(START_POSITION, 10_000);
      return events.filter(({ type }) => type === 'OperatorActed').map(({ data }) => data);
    });

  it('writes one page to a new file, which only its user can read', async () => {
    await given(world);
    const out = join(directory(), 'report.html');
    const position = (await positions()).at(-1) ?? '';
    const { code, stdout, stderr } = await report('--out', out);
    expect([code, stdout]).to.deep.equal([0, '']);
    expect(stderr).to.match(
      new RegExp(`^hiring: at position ${position} \\(${march(12)}\\), by version 0.1.0, personal data left out$`, 'm'),
    );
    expect(await readFile(out, 'utf8')).to.match(/^<!doctype html>\n[\s\S]*<\/html>\s*$/);
    expect((await stat(out)).mode & 0o077).to.equal(0);
    expect((await readdir(directory())).filter((name) => name.includes('unfinished'))).to.deep.equal([]);
  });

  it('gives the same bytes for the same position, whatever is written meanwhile', async () => {
    await given(world);
    const position = (await positions()).at(-1) ?? '';
    const { stdout: before } = await report('--to', position);
    await given([plantedPerson]);
    expect((await report('--to', position)).stdout).to.equal(before);
  });

  it('counts from a moment on, of one profession and state', async () => {
    await given(world);
    const { stdout } = await report('--from', '2026-03-05', '--profession', 'assistant', '--state', 'MA');
    expect(stdout)
      .to.include('5 March 2026 to 12 March 2026 · the profession assistant, the state MA')
      .and.include('Of 1 application, 0 (0%) led to a hire');
  });

  it('shows nothing personal by default, not even in what is counted', async () => {
    await given([...world, plantedPerson, measured(12.34)]);
    const { stdout, stderr } = await report();
    for (const value of Object.values(planted)) expect(stdout + stderr).not.to.include(String(value));
    expect(stdout).not.to.include('Nebraska').and.not.include('10 to 20 mi');
    expect(stdout).to.include('Where applicants live is personal data, and left out.');
    expect(await acts()).to.deep.equal([]);
  });

  it('shows places and distances with --personal-data, which is recorded first', async () => {
    await given([...world, plantedPerson, measured(12.34)]);
    const { code, stdout } = await report('--personal-data', '--reason', 'a study of commutes');
    expect(code).to.equal(0);
    expect(stdout).to.include('Nebraska').and.include('10 to 20 mi').and.include('1 of 2 distances were measured');
    // Names, addresses and numbers are in no picture.
    for (const value of Object.values(planted)) expect(stdout).not.to.include(String(value));
    const [requested, completed] = await acts();
    expect(requested).to.deep.include({
      operation: 'personal-data',
      phase: 'requested',
      parameters: { command: 'history report', reason: 'a study of commutes' },
    });
    expect(completed).to.include({ phase: 'completed' });
  });
  return { directory, given, report };
};

describe('hiring history report', () => {
  const { directory, given, report } = suite();
  const refusal = async (...options: readonly string[]): Promise<string> => {
    const { code, stdout, stderr } = await report(...options);
    expect([code, stdout]).to.deep.equal([2, '']);
    return stderr;
  };

  it('refuses in one line what cannot be, and makes no files', async () => {
    expect(await refusal()).to.match(
      /^hiring: There is no event log to read: \S+ is empty, or not mounted; allowed: .*\n$/,
    );
    expect(await readdir(directory())).to.deep.equal([]);
    await given(world);
    expect(await refusal('--personal-data')).to.equal('hiring: --personal-data needs a --reason, which is recorded\n');
    expect(await refusal('--to', '99')).to.equal('hiring: No event stands at the position 0000000000000099\n');
    const out = join(directory(), 'report.html');
    await writeFile(out, 'kept');
    expect(await refusal('--out', out)).to.equal(
      `hiring: --out names ${out}, which is there already; allowed: a new file\n`,
    );
    expect(await readFile(out, 'utf8')).to.equal('kept');
  });
});

describe('hiring history report, asked of a service', () => {
  let directory: string;
  let url: string;
  before(async () => {
    directory = await mkdtemp(join(tmpdir(), 'hiring-history-report-'));
    const log = await openLogHere(join(directory, 'events.db'));
    await storeWith([...world, plantedPerson, measured(12.34)], log);
    await log.close();
    ({ url } = await serveHere(directory));
    await untilReady(url);
  });
  after(async () => {
    await endLeftServices();
    await rm(directory, { recursive: true });
  });
  const stores = (...options: readonly string[]) => pageOf(directory, options);
  /** What is told last; before, a slow machine is told how far it is. */
  const pageOf = async (where: string, options: readonly string[], environment = {}) => {
    const { stderr, ...made } = await runCli(where, ['history', 'report', ...options], environment);
    return { ...made, stderr: stderr.trimEnd().split('\n').at(-1) };
  };
  /** From where there are no stores. */
  const service = async (as: keyof typeof claims, ...options: readonly string[]) => {
    const elsewhere = await mkdtemp(join(directory, 'elsewhere-'));
    return pageOf(elsewhere, [...options, '--from', url], {
      HIRING_API_KEY: processKeys.client,
      HIRING_TOKEN: await tokenFor(claims[as]),
    });
  };

  it('is the same page as from the stores', async () => {
    const options = ['--from', '2026-03-05', '--to', '18', '--profession', 'assistant', '--state', 'MA'];
    expect(await service('analyst', ...options)).to.deep.equal(await stores(...options));
  });

  it('is the same page over HTTP', async () => {
    const ask = async (): Promise<Response> => {
      const response = await fetch(`${url}/history/report?upTo=18&profession=assistant&timeZone=America/Denver`, {
        headers: { 'X-API-Key': processKeys.client, Authorization: `Bearer ${await tokenFor(claims.analyst)}` },
      });
      // The service's warehouse is not whole yet.
      return response.status === 503 ? ask() : response;
    };
    const { stdout } = await stores(...['--up-to', '18', '--profession', 'assistant', '--time-zone', 'America/Denver']);
    expect(await (await ask()).text()).to.equal(stdout);
  });

  it('shows nothing personal by default, and to an administrator for a reason, which is recorded', async () => {
    const { stdout: masked } = await service('analyst', '--to', '18');
    expect(masked).not.to.include('Nebraska');
    const asked = ['--to', '20', '--personal-data', '--reason', 'a study of commutes'];
    const refused = await service('analyst', ...asked);
    expect([refused.code, refused.stdout]).to.deep.equal([2, '']);
    const shown = await service('admin', ...asked);
    expect(shown.stdout).to.include('Nebraska');
    expect(shown).to.deep.equal(await stores(...asked));
    const { stdout } = await runCli(directory, ['history', 'audit']);
    expect(stdout).to.match(/user-ada +personal-data +completed +command=history \S+ .*reason=a study of commutes/);
  });

  it('refuses in one line what cannot be', async () => {
    const { code, stdout, stderr } = await service('analyst', '--from', '18', '--to', '17');
    expect([code, stdout]).to.deep.equal([1, '']);
    expect(stderr).to.match(/^hiring: \d+18 comes after \d+17$/);
  });
});

withBothServers('hiring history report on servers', () => {
  describe('hiring history report', () => {
    suite({ newServers: newServerStores });
  });
});
