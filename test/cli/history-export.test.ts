import { existsSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import { newServerStores, withBothServers } from '../support/servers.ts';
import { historyStage, type HistoryPlace } from './history-stage.ts';

const PERSONAL = ['"Ann"', 'ann.lee@example.com'];

const linesIn = async (file: string) => (await readFile(file, 'utf8')).trimEnd().split('\n');

const suite = (place?: HistoryPlace) => {
  const stage = historyStage(place);
  const out = () => join(stage.directory(), 'out');
  const exporting = (...args: readonly string[]) => stage.history('export', '--out', out(), ...args);

  it('writes the lines of history search, and says what they were made from', async () => {
    const { service, hired } = await stage.applyAndHire();
    await service.end();
    const { code, stderr } = await exporting('--format', 'ndjson');
    expect([code, stderr.trimEnd()]).to.deep.equal([
      0,
      `hiring: ${(await linesIn(join(out(), 'events.ndjson'))).length} events in ${out()}, at position ${hired.position}, by version 0.1.0, personal data masked`,
    ]);
    const searched = await stage.history('search', '--json', '--limit', '1000');
    expect(await readFile(join(out(), 'events.ndjson'), 'utf8')).to.equal(searched.stdout);
  });

  it('goes on with what came later', async () => {
    const { service, applied } = await stage.applyAndHire();
    await service.end();
    const first = await exporting('--format', 'csv', '--to', applied.position);
    expect(first.code, first.stderr).to.equal(0);
    expect(existsSync(join(out(), 'CandidateHired-00001.csv'))).to.equal(false);
    const second = await exporting('--format', 'csv');
    expect(second.code, second.stderr).to.equal(0);
    expect(await linesIn(join(out(), 'CandidateHired-00002.csv'))).to.have.length(2);
  });

  it('writes a table of Parquet for each type asked for, and nothing else', async () => {
    const { service } = await stage.applyAndHire();
    await service.end();
    const { code, stderr } = await exporting('--format', 'parquet', '--type', 'CandidateHired');
    expect(code, stderr).to.equal(0);
    expect((await readdir(out())).filter((name) => !name.startsWith('owner.'))).to.deep.equal([
      'CandidateHired-00001.parquet',
      'manifest.json',
    ]);
  });

  it('masks personal data, and shows it with a reason, which is recorded', async () => {
    const { service } = await stage.applyAndHire();
    await service.end();
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
    expect(audit.stdout).to.match(/personal-data .*history export.*reason=a complaint/);
  });

  it('is refused in one line', async () => {
    const { service } = await stage.applyAndHire();
    await service.end();
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

describe('hiring history export', () => {
  suite();
});
withBothServers('hiring history export on servers', () => {
  describe('hiring history export on servers', function () {
    this.timeout(120_000);
    suite({ newServers: newServerStores });
  });
});
