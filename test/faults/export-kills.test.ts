import { once } from 'node:events';
import { statSync } from 'node:fs';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { savedPostingsDecider } from '../../src/domain/saved-postings.ts';
import { openEmbeddedEventStore } from '../../src/event-store/embedded/event-store.ts';
import { runCli } from '../support/cli.ts';
import { on } from '../support/facts.ts';
import { configured, killLeftProcesses, killWhen, spawnCli } from '../support/process.ts';
import { filesOf } from '../history/export/stage.ts';

const STREAMS = 20;
const EVENTS = 500;

/** Many events, a stream of them at a time. */
const fill = async (directory: string): Promise<void> => {
  const log = await openEmbeddedEventStore(join(directory, 'events.db'));
  try {
    for (let stream = 0; stream < STREAMS; stream++) {
      const ids = { professionalId: `p${stream}`, postingId: 'posting' };
      const metadata = { $correlationId: 'c', $causationId: 'c', requestId: 'r', actor: 'user-ann' };
      const fact = (number: number) =>
        on(
          savedPostingsDecider,
          ids.professionalId,
        )({ type: number % 2 === 0 ? 'PostingSaved' : 'PostingUnsaved', data: ids });
      const events = Array.from({ length: EVENTS }, (_, number) => {
        const { type, version, data, at } = fact(number);
        return { id: `${stream}-${number}`, type, version, data, metadata: { ...metadata, recordedAt: at } };
      });
      await log.append({ stream: fact(0).stream, expectedRevision: -1, events });
    }
  } finally {
    await log.close();
  }
};

/** An unfinished file may be renamed at any time. */
const isThere = (file: string): boolean => (statSync(file, { throwIfNoEntry: false })?.size ?? 0) > 0;

/** When each format is killed: as soon as one of these files is there. */
const kills: readonly (readonly [readonly string[], readonly string[]])[] = [
  [
    ['--format', 'ndjson'],
    ['manifest.json', 'events.ndjson'],
  ],
  [
    ['--format', 'csv'],
    ['manifest.json.unfinished', 'PostingSaved-00001.csv', 'PostingUnsaved-00001.csv'],
  ],
  [['--format', 'csv', '--case', 'professional'], ['cases.csv']],
  [
    ['--format', 'parquet'],
    ['manifest.json', 'PostingSaved-00001.parquet'],
  ],
  [
    ['--format', 'ocel'],
    ['log.ocel.sqlite.unfinished', 'log.ocel.sqlite'],
  ],
];

describe('An export whose process is killed', function () {
  this.timeout(180_000);
  let directory: string;
  before(async () => {
    directory = await mkdtemp(join(tmpdir(), 'hiring-export-kills-'));
    await fill(directory);
  });
  after(async () => {
    killLeftProcesses();
    await rm(directory, { recursive: true, force: true });
  });

  const filesIn = async (out: string) =>
    new Map([...(await filesOf(out))].filter(([name]) => !name.startsWith('owner.')));

  for (const [options, files] of kills)
    it(`makes the same bytes when it is started again: ${options.join(' ')}`, async () => {
      const [whole, killed] = ['whole', 'killed'].map((name) => join(directory, [name, ...options].join('')));
      if (whole === undefined || killed === undefined) throw new Error('Two directories are named');
      const args = (out: string) => ['history', 'export', ...options, '--out', out];
      expect(await runCli(directory, args(whole))).to.have.property('code', 0);
      for (const file of files) await killWhen(directory, args(killed), configured, () => isThere(join(killed, file)));
      expect(await runCli(directory, args(killed))).to.have.property('code', 0);
      expect(await filesIn(killed)).to.deep.equal(await filesIn(whole));
      expect((await readdir(killed)).filter((name) => name.includes('unfinished'))).to.deep.equal([]);
    });

  it('ends with exit code 2 and one line when it is told to, and goes on later', async () => {
    const out = join(directory, 'told');
    const args = ['history', 'export', '--format', 'ndjson', '--out', out];
    const child = spawnCli(directory, [...args, '--throttle', '100'], configured);
    let said = '';
    child.stderr?.on('data', (chunk: Buffer) => (said += chunk.toString()));
    const closed = once(child, 'close') as Promise<[number | null]>;
    const looking = setInterval(() => {
      if (!isThere(join(out, 'manifest.json'))) return;
      clearInterval(looking);
      child.kill('SIGTERM');
    }, 20);
    const [code] = await closed;
    clearInterval(looking);
    expect(said.trimEnd().split('\n').at(-1)).to.equal(
      'hiring: Ended by SIGTERM; what is whole stays, and the same again goes on',
    );
    expect(code).to.equal(2);
    expect(await runCli(directory, args)).to.have.property('code', 0);
    expect((await readFile(join(out, 'events.ndjson'), 'utf8')).trimEnd().split('\n')).to.have.length(STREAMS * EVENTS);
  });
});
