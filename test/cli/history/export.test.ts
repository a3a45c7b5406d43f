import { existsSync } from 'node:fs';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import { officeDecider } from '../../../src/domain/office.ts';
import { bodies } from '../../support/examples.ts';
import { on } from '../../support/facts.ts';
import { cuttingProxy } from '../../support/cutting-proxy.ts';
import { newServerStores, withBothServers } from '../../support/servers.ts';
import { historyStage, type HistoryPlace } from './stage.ts';

const PERSONAL = ['"Ann"', 'ann.lee@example.com'];

/** The files of an export, but for its lock. */
const filesOf = async (directory: string) => {
  const names = (await readdir(directory)).filter((name) => !name.startsWith('owner.')).sort();
  const read = async (name: string) => [name, (await readFile(join(directory, name))).toString('base64')] as const;
  return Object.fromEntries(await Promise.all(names.map(read)));
};

const linesIn = async (file: string) => (await readFile(file, 'utf8')).trimEnd().split('\n');

const suite = (place?: HistoryPlace) => {
  const stage = historyStage(place);
  const out = () => join(stage.directory(), 'out');
  const exporting = (...args: readonly string[]) => stage.history('export', '--out', out(), ...args);

  /** What there is to export: the stores are read without a service. */
  const hiring = async () => {
    const story = await stage.applyAndHire();
    if (!place?.isServiceAsked) await story.service.end();
    return story;
  };

  it('writes the lines of history search, and says what they were made from', async () => {
    const { hired } = await hiring();
    const { code, stderr } = await exporting('--format', 'ndjson');
    // Where it takes long, it says how far it is before.
    expect([code, stderr.trimEnd().split('\n').at(-1)]).to.deep.equal([
      0,
      `hiring: ${(await linesIn(join(out(), 'events.ndjson'))).length} events in ${out()}, at position ${hired.position}, by version 0.1.0, personal data masked`,
    ]);
    const searched = await stage.history('search', '--json', '--limit', '1000');
    expect(await readFile(join(out(), 'events.ndjson'), 'utf8')).to.equal(searched.stdout);
  });

  it('goes on with what came later', async () => {
    const { applied } = await hiring();
    const first = await exporting('--format', 'csv', '--to', applied.position);
    expect(first.code, first.stderr).to.equal(0);
    expect(existsSync(join(out(), 'CandidateHired-00001.csv'))).to.equal(false);
    const second = await exporting('--format', 'csv');
    expect(second.code, second.stderr).to.equal(0);
    expect(await linesIn(join(out(), 'CandidateHired-00002.csv'))).to.have.length(2);
  });

  it('writes a table of Parquet for each type asked for, and nothing else', async () => {
    await hiring();
    const { code, stderr } = await exporting('--format', 'parquet', '--type', 'CandidateHired');
    expect(code, stderr).to.equal(0);
    expect((await readdir(out())).filter((name) => !name.startsWith('owner.'))).to.deep.equal([
      'CandidateHired-00001.parquet',
      'manifest.json',
    ]);
  });

  it('masks personal data, and shows it with a reason, which is recorded', async () => {
    await hiring();
    await exporting('--format', 'ndjson');
    const masked = await readFile(join(out(), 'events.ndjson'), 'utf8');
    for (const text of PERSONAL) expect(masked).not.to.include(text);

    const unmasked = ['--format', 'ndjson', '--personal-data'];
    const refused = await exporting(...unmasked, '--reason', 'a complaint');
    expect([refused.code, refused.stderr]).to.have.property('0', 2);
    expect(refused.stderr).to.match(/asked for is personal data; allowed: the same as there/);
    const other = join(stage.directory(), 'other');
    const shown = await stage.history('export', '--out', other, ...unmasked, '--reason', 'a complaint');
    expect(shown.code, shown.stderr).to.equal(0);
    const events = await readFile(join(other, 'events.ndjson'), 'utf8');
    for (const text of PERSONAL) expect(events).to.include(text);
    const audit = await stage.history('audit');
    // A service records which events it was asked for.
    expect(audit.stdout).to.match(/personal-data .*history (?:export|search).*reason=a complaint/);
  });

  it('is made anew where its masks are of an earlier scheme, which is said', async () => {
    await hiring();
    await exporting('--format', 'ndjson');
    const manifest = join(out(), 'manifest.json');
    const made = await readFile(manifest, 'utf8');
    await writeFile(manifest, made.replace(/"masks": "[^"]+"/, String.raw`"masks": "\"masked-0123456789abcdef\""`));
    const { code, stderr } = await exporting('--format', 'ndjson');
    expect(code, stderr).to.equal(0);
    expect(stderr).to.match(/^hiring: the export has masks of another scheme: made anew\n/);
    expect(await readFile(manifest, 'utf8')).to.equal(made);
  });

  it('is refused in one line', async () => {
    await hiring();
    const refusals: readonly (readonly [readonly string[], RegExp])[] = [
      [['--format', 'xes'], /Allowed choices are ndjson, csv, parquet/],
      [['--format', 'ndjson', '--case', 'posting'], /--case is for --format csv, not ndjson/],
      [['--format', 'ndjson', '--personal-data'], /--personal-data needs a --reason/],
      [['--format', 'ndjson', '--to', '999999'], /No event stands at the position/],
      [['--format', 'ndjson', '--throttle', '0'], /must be an integer from 1/],
    ];
    for (const [args, says] of refusals) {
      const { code, stderr } = await exporting(...args);
      expect(stderr).to.match(says);
      expect([code, stderr.trimEnd().split('\n').length]).to.deep.equal([2, 1]);
    }
  });
};

const suiteOfStores = (place?: HistoryPlace) => {
  suite(place);
  const stage = historyStage(place);
  const out = () => join(stage.directory(), 'out');
  const exporting = () => stage.history('export', '--out', out(), '--format', 'ndjson');

  it('is refused where an export of another event log is', async () => {
    const recorded = (officeId: string) => [
      on(officeDecider, officeId)({ type: 'OfficeRecorded', data: { officeId, ...bodies.office } }),
    ];
    await stage.given(recorded('bright'));
    expect((await exporting()).code).to.equal(0);
    await stage.replaceLog();
    await stage.given(recorded('calm'));
    const before = await readFile(join(out(), 'events.ndjson'), 'utf8');
    const { code, stderr } = await exporting();
    expect([code, stderr]).to.deep.equal([
      2,
      `hiring: ${out()} holds an export of another event log; allowed: another directory\n`,
    ]);
    expect(await readFile(join(out(), 'events.ndjson'), 'utf8')).to.equal(before);
  });
};

describe('hiring history export', () => suiteOfStores());
describe('hiring history export, asked of a service', function () {
  this.timeout(120_000);
  suite({ isServiceAsked: true });
  const stage = historyStage({ isServiceAsked: true });
  const inDirectory = (name: string) => join(stage.directory(), name);
  const forms = ['ndjson', 'csv', 'csv --case posting', 'parquet', 'ocel'];
  const types = ['--type', 'CandidateApplied', '--type', 'PostingRecorded'];
  type Ask = typeof stage.history;
  const exported = async (ask: Ask, out: string, ...args: readonly string[]): Promise<void> => {
    const { code, stderr } = await ask('export', '--out', inDirectory(out), ...args);
    expect(code, stderr).to.equal(0);
  };

  it('makes the same bytes as from the stores, also where the one goes on with what the other began', async () => {
    const { applied } = await stage.applyAndHire();
    for (const [number, form] of [...forms, `ndjson ${types.join(' ')}`].entries()) {
      const args = ['--format', ...form.split(' ')];
      const early = [...args, '--to', applied.position];
      const steps: readonly (readonly [string, Ask, Ask])[] = [
        ['stores', stage.historyOfStores, stage.historyOfStores],
        ['both', stage.history, stage.historyOfStores],
        ['turned', stage.historyOfStores, stage.history],
      ];
      const found: unknown[] = [];
      for (const [name, first, second] of steps) {
        const out = `${name}-${number}`;
        await exported(first, out, ...early);
        await exported(second, out, ...args);
        found.push(await filesOf(inDirectory(out)));
      }
      for (const [at, files] of found.entries())
        expect(files, `${form}: ${steps[at]?.[0] ?? ''}`).to.deep.equal(found[0]);
    }
  });

  it('goes on after one that was given up, since nothing came, and keeps to a throttle', async () => {
    await stage.applyAndHire();
    const cutting = await cuttingProxy(stage.url());
    try {
      const args = ['export', '--format', 'ndjson', '--out', inDirectory('cut')];
      const { code, stderr } = await stage.historyAt(cutting.url, ...args);
      expect(code, stderr).to.equal(2);
      expect(stderr).to.match(/^hiring: http:\S+ ended its answer too early: \S+; it is asked for the rest\n/);
      expect(stderr).to.match(/\nhiring: http:\S+ ended its answer too early: \S+\n$/);
    } finally {
      await cutting.end();
    }
    await exported(stage.history, 'cut', '--format', 'ndjson', '--throttle', '100');
    await exported(stage.historyOfStores, 'whole', '--format', 'ndjson');
    expect(await filesOf(inDirectory('cut'))).to.deep.equal(await filesOf(inDirectory('whole')));
  });

  it('makes the same bytes where every answer is cut, by asking for the rest', async () => {
    await stage.applyAndHire();
    const cutting = await cuttingProxy(stage.url(), () => 2_500);
    try {
      // All but lines are made from events that come in one way.
      for (const form of ['ndjson', 'csv']) {
        const args = ['--format', ...form.split(' ')];
        await exported((...all) => stage.historyAt(cutting.url, ...all), `cut ${form}`, ...args);
        await exported(stage.historyOfStores, `whole ${form}`, ...args);
        const [cut, whole] = await Promise.all(['cut', 'whole'].map((name) => filesOf(inDirectory(`${name} ${form}`))));
        expect(cut, form).to.deep.equal(whole);
      }
    } finally {
      await cutting.end();
    }
  });

  it('refuses another event log than the one that it has begun with', async () => {
    await stage.applyAndHire();
    await exported(stage.history, 'out', '--format', 'ndjson');
    const manifest = inDirectory('out/manifest.json');
    const text = await readFile(manifest, 'utf8');
    for (const [changed, refusal] of [
      [
        text.replace(/(?<="first": \{\s+"position": "[^"]+",\s+"id": ")[^"]+/, 'another'),
        'an export of another event log',
      ],
      [text.replace(/"mark": "[^"]+"/, '"mark": "another"'), 'events that the event log lacks, up to position'],
    ] as const) {
      await writeFile(manifest, changed);
      const { code, stderr } = await stage.history('export', '--format', 'ndjson', '--out', inDirectory('out'));
      expect(code).to.equal(2);
      expect(stderr).to.include(`holds ${refusal}`).and.to.include('allowed: another directory');
    }
  });
});
withBothServers('hiring history export on servers', () => {
  describe('hiring history export on servers', function () {
    this.timeout(120_000);
    suiteOfStores({ newServers: newServerStores });
  });
});
