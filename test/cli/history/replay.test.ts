import { existsSync } from 'node:fs';
import { readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import { withDatabase, literal, rowsOfQuery } from '../../../src/history/warehouse/duckdb.ts';
import { beginCli } from '../../support/cli.ts';
import { bodies, ids } from '../../support/examples.ts';
import { cuttingProxy } from '../../support/cutting-proxy.ts';
import { eventually } from '../../support/eventually.ts';
import { root } from '../../support/project.ts';
import { newServerStores, withBothServers } from '../../support/servers.ts';
import { historyStage, type HistoryPlace } from './stage.ts';

const example = (name: string): string => join(root, 'docs', 'examples', `${name}.ts`);

/** Tells of each professional who was recorded. */
const people = `export default {
  init: () => [],
  handlers: { ProfessionalRecorded: ({ data }, state) => void state.push(data) },
  rows: (state) => state,
};`;

/** Counts the hires, under some name. */
const hiresAs = (name: string, more = ''): string => `interface State { hires: number }
export default {
  ${more}
  init: (): State => ({ hires: 0 }),
  handlers: { CandidateHired: (_: unknown, state: State) => void state.hires++ },
  rows: ({ hires }: State) => [{ ${name}: hires }],
};`;

const suite = (place?: HistoryPlace) => {
  const { directory, history, applyAndHire } = historyStage(place);
  const replay = (...args: readonly string[]) => history('replay', ...args);
  const rowsOf = async (...args: readonly string[]): Promise<unknown[]> => {
    const { code, stdout, stderr } = await replay(...args);
    expect(code, stderr).to.equal(0);
    return stdout
      .split('\n')
      .filter((line) => line !== '')
      .map((line): unknown => JSON.parse(line));
  };
  const written = async (name: string, text: string): Promise<string> => {
    const file = join(directory(), name);
    await writeFile(file, text);
    return file;
  };

  it('writes the rows of a projection, and says what they were made from', async () => {
    const { hired } = await applyAndHire();
    const { code, stdout, stderr } = await replay(example('time-to-hire'));
    expect([code, stdout]).to.deep.equal([0, '{"profession":"hygienist","hires":1,"medianDays":0,"longestDays":0}\n']);
    expect(stderr).to.match(
      new RegExp(`^hiring: at position ${hired.position} \\(\\S+Z\\), by version 0.1.0, personal data masked\n$`),
    );
  });

  it('reads the events between two moments, of a type, of a stream', async () => {
    const { posted, applied, hired, candidate } = await applyAndHire();
    const file = example('office-answers');
    expect(await rowsOf(file, '--to', posted.position)).to.deep.equal([]);
    expect(await rowsOf(file, '--to', applied.position)).to.deep.include.members([
      { ...{ officeId: ids.office, applications: 1, answered: 0, medianHours: null, waiting: 1 }, longestWaitHours: 0 },
    ]);
    const [unknown] = await rowsOf(file, '--from', posted.position);
    expect(unknown).to.include({ officeId: 'unknown', applications: 1, answered: 1 });
    expect(await rowsOf(file, '--stream', `candidate-${candidate}`)).to.deep.equal([unknown]);
    expect(await rowsOf(file, '--type', 'CandidateApplied')).to.have.length(1);
    const { stderr } = await replay(file, '--from', posted.position);
    expect(stderr).to.match(new RegExp(`after position ${posted.position} .*, at position ${hired.position} `));
  });

  it('gives the same rows for the same position, whatever is written meanwhile', async () => {
    const { act, applied } = await applyAndHire();
    const before = await replay(example('office-answers'), '--to', applied.position);
    await act(undefined, 'PUT', '/internal/postings/another', bodies.posting);
    expect(await replay(example('office-answers'), '--to', applied.position)).to.deep.equal(before);
  });

  it('shows masks, and personal data for a reason, which is recorded', async () => {
    await applyAndHire();
    const file = await written('people.js', people);
    const [masked] = (await rowsOf(file)) as Record<string, unknown>[];
    expect(masked?.['lastName']).to.match(/^masked-/);
    expect((await replay(file, '--personal-data')).stderr).to.include('needs a --reason');
    const asked = ['--personal-data', '--reason', 'a wrong name'];
    const [shown] = (await rowsOf(file, ...asked)) as Record<string, unknown>[];
    expect(shown).to.include(bodies.professional);
    const { stdout } = await history('audit');
    // A service records which events it was asked for.
    expect(stdout).to.match(/personal-data +completed.*history (?:replay|search).*a wrong name/);
  });

  it('writes CSV and Parquet', async () => {
    await applyAndHire();
    const csv = await replay(example('time-to-hire'), '--output', 'csv');
    expect(csv.stdout).to.equal('profession,hires,medianDays,longestDays\r\nhygienist,1,0,0\r\n');
    const out = join(directory(), 'hires.parquet');
    const { code, stderr } = await replay(example('time-to-hire'), '--output', 'parquet', '--out', out);
    expect(code, stderr).to.equal(0);
    const bounds = { spillTo: directory(), isReadOnly: false, threads: 1, writes: [out] } as const;
    const read = withDatabase(':memory:', bounds);
    const sql = `SELECT profession, hires, typeof(hires), medianDays FROM ${literal(out)}`;
    expect(await read((database) => rowsOfQuery(database, sql))).to.deep.equal([['hygienist', 1n, 'BIGINT', 0n]]);
    expect((await readdir(directory())).filter((name) => name.includes('unfinished'))).to.deep.equal([]);
  });
};

describe('hiring history replay', () => {
  suite();
  const { directory, history, applyAndHire } = historyStage();
  const replay = (...args: readonly string[]) => history('replay', ...args);
  const fileOf = async (text: string, name = 'mine.ts'): Promise<string> => {
    const file = join(directory(), name);
    await writeFile(file, text);
    return file;
  };
  const refusal = async (...args: readonly string[]): Promise<string> => {
    const { code, stdout, stderr } = await replay(...args);
    expect([code, stdout]).to.deep.equal([2, '']);
    expect(stderr.trim().split('\n')).to.have.length(1);
    return stderr.replaceAll(`${directory()}/`, '');
  };

  it('writes a template, which runs as it is', async () => {
    await applyAndHire();
    const file = join(directory(), 'mine.ts');
    expect((await replay('--new', file)).code).to.equal(0);
    const { code, stdout } = await replay(file);
    expect(code).to.equal(0);
    expect(stdout).to.match(/^\{"month":"\d{4}-\d{2}","applications":1,"hires":1\}\n$/);
    expect(await refusal('--new', file)).to.equal('hiring: mine.ts is there already; allowed for --new: a new file\n');
  });

  it('runs again when the file is saved, also after a fault, until a signal', async () => {
    await applyAndHire();
    const file = await fileOf(hiresAs('first'));
    const watching = beginCli(directory(), ['history', 'replay', file, '--watch']);
    const runs = () => watching.stderr().split('runs again when').length - 1;
    const save = async (text: string) => {
      const before = runs();
      await writeFile(file, text);
      await eventually('the saved file has run', () => runs() > before);
    };
    await eventually('the first run is over', () => runs() === 1);
    await save(hiresAs('second'));
    await save('const a: = 1;');
    await save(hiresAs('third'));
    expect(await watching.interrupt()).to.equal(0);
    expect(watching.stdout()).to.equal('{"first":1}\n{"second":1}\n{"third":1}\n');
    expect(watching.stderr()).to.include('mine.ts cannot be loaded: line 1: Unexpected token');
  });

  it('replaces its own file when it runs again', async () => {
    await applyAndHire();
    const file = await fileOf(hiresAs('first'));
    const out = join(directory(), 'rows.ndjson');
    const watching = beginCli(directory(), ['history', 'replay', file, '--watch', '--out', out]);
    const holds = async (text: string) => existsSync(out) && (await readFile(out, 'utf8')) === text;
    await eventually('the first rows are there', () => holds('{"first":1}\n'));
    await writeFile(file, hiresAs('second'));
    await eventually('the second rows are there', () => holds('{"second":1}\n'));
    expect(await watching.interrupt()).to.equal(0);
    expect((await stat(out)).mode & 0o077).to.equal(0);
  });

  it('refuses in one line what cannot be, and leaves no file', async () => {
    expect(await refusal(example('time-to-hire'))).to.include('There is no event log to read');
    await applyAndHire();
    for (const more of [[], ['--watch'], ['--personal-data', '--reason', 'none']])
      expect(await refusal('none/none.ts', ...more)).to.equal(
        'hiring: none/none.ts is not there; --new writes a template\n',
      );
    expect((await history('audit')).stdout).not.to.include('history replay');
    expect(await refusal(example('travel-distances'))).to.include(
      'makes sense only with personal data: --personal-data --reason <text>',
    );
    const out = join(directory(), 'rows.csv');
    const failing = await fileOf(hiresAs('a').replace('void state.hires++', "{ throw new Error('so it is'); }"));
    expect(await refusal(failing, '--out', out)).to.match(
      /^hiring: mine\.ts: the handler of CandidateHired, for event 1 of candidate-\S+ at \d+, failed: line 5: so it is\n$/,
    );
    const rows = await fileOf(hiresAs('a').replace('[{ a: hires }]', '[{ a: hires }, 7]'));
    expect(await refusal(rows, '--out', out)).to.include('rows failed after 1 of them: a row must be an object');
    const columns = await fileOf(hiresAs('a', "columns: { b: 'BIGINT' },"));
    expect(await refusal(columns, '--out', out, '--output', 'csv')).to.include('its member a has no column');
    const none = await fileOf(hiresAs('a').replace('[{ a: hires }]', '[]'));
    expect(await refusal(none, '--out', out, '--output', 'parquet')).to.include('Parquet needs columns');
    expect(await refusal(none, '--output', 'parquet')).to.include('needs --out');
    expect(await refusal(none, '--type', 'PostingClosed')).to.include('has no handler for PostingClosed');
    for (const [more, says] of [
      [['--from', '3', '--to', '2'], 'comes after'],
      [['--stream', 'posting-nobody'], 'There is no stream posting-nobody'],
      [['--type', 'CandidateHird'], 'the nearest are CandidateHired, '],
    ] as const) {
      const { code, stdout, stderr } = await replay(none, ...more);
      expect([code, stdout]).to.deep.equal([1, '']);
      expect(stderr).to.include(says);
    }
    expect((await readdir(directory())).filter((name) => name.startsWith('rows.'))).to.deep.equal([]);
    await writeFile(out, 'kept');
    expect(await refusal(none, '--out', out)).to.include('which is there already');
    expect(await readFile(out, 'utf8')).to.equal('kept');
  });
});

describe('hiring history replay, asked of a service', function () {
  this.timeout(60_000);
  suite({ isServiceAsked: true });
  const { directory, applyAndHire, historyAt, url } = historyStage({ isServiceAsked: true });

  it('asks again where a service that has told the moment does not answer at first', async () => {
    await applyAndHire();
    const file = join(directory(), 'hires.ts');
    await writeFile(file, hiresAs('hires'));
    const cutting = await cuttingProxy(url(), (answer) => (answer === 1 ? -1 : Infinity));
    try {
      const { stdout, stderr } = await historyAt(cutting.url, 'replay', file);
      expect(stdout, stderr).to.equal('{"hires":1}\n');
      expect(stderr).to.include('which cannot be asked');
    } finally {
      await cutting.end();
    }
  });
});

withBothServers('hiring history replay on servers', () => {
  describe('hiring history replay', () => {
    suite({ newServers: newServerStores });
  });
});
