import { expect } from 'chai';
import { cpSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { closeAfter, openReader, openWriter } from '../../src/sqlite/connections.ts';
import { claims } from '../support/examples.ts';
import { eventually } from '../support/eventually.ts';
import { exchange, killLeftProcesses, runProcess, serveProcess, type Running } from '../support/process.ts';
import { tokenFor, untilReady } from '../support/service.ts';

/** Makes the first byte of a text one that UTF-8 never has, wherever it stands in a file. */
const spoil = (file: string, text: string): void => {
  const bytes = readFileSync(file);
  const found: number[] = [];
  for (let at = bytes.indexOf(text); at >= 0; at = bytes.indexOf(text, at + 1)) found.push(at);
  expect(found, text).not.to.be.empty;
  for (const at of found) bytes[at] = 0xff;
  writeFileSync(file, bytes);
};

const postingIn = (log: string): string =>
  closeAfter(openReader(log), (connection) => {
    const sql = "SELECT data ->> 'postingId' FROM events WHERE data ->> 'postingId' IS NOT NULL";
    return (connection.prepare(sql).raw().get([]) as readonly [string])[0];
  });

describe('A file in which a text is no UTF-8 any more', () => {
  const sound = mkdtempSync(join(tmpdir(), 'hiring-texts-'));
  let directory: string;
  let path: string;
  let bearer: string;
  let expected: unknown;

  const read = async ({ url }: Running) => exchange(url, { method: 'GET', path, bearer });
  before(async () => {
    expect((await runProcess(sound, ['seed', '--candidates', '40'])).code).to.equal(0);
    path = `/admin/postings/${postingIn(join(sound, 'events.db'))}/candidates`;
    bearer = await tokenFor(claims.admin);
    const service = await serveProcess(sound);
    await untilReady(service.url);
    expected = (await read(service)).body;
    expect(JSON.stringify(expected)).to.include('appliedAt');
    expect(await service.end('SIGTERM')).to.equal(0);
  });
  beforeEach(() => {
    directory = mkdtempSync(join(tmpdir(), 'hiring-texts-'));
    cpSync(sound, directory, { recursive: true });
  });
  afterEach(() => {
    killLeftProcesses();
    rmSync(directory, { recursive: true });
  });
  after(() => rmSync(sound, { recursive: true }));

  for (const [what, name, text] of [
    ['the documents of a read model', 'read-models.db.posting-candidates@', '"appliedAt":'],
    ['the checkpoint of a read model', 'read-models.db.posting-candidates@', '"position":"'],
    ['the records of the build registry', 'projections.db', '"live":'],
  ] as const)
    it(`is set aside, and its answers are the same afterwards: ${what}`, async () => {
      // Given
      const file = join(directory, readdirSync(directory).find((each) => each.startsWith(name)) ?? '');
      spoil(file, text);
      // When the service starts and a query reads it
      const service = await serveProcess(directory);
      // Then it is answered right, once it is built anew
      await eventually('the list is as it was', async () => {
        const { status, body } = await read(service);
        expect(status).to.be.oneOf([200, 503]);
        if (status === 200) expect(body).to.deep.equal(expected);
        return status === 200;
      });
      expect(existsSync(`${file}.damaged`)).to.equal(true);
      expect(service.lines.filter((line) => line.includes(`${file} is damaged`))).to.have.length(1);
      expect(await service.end('SIGTERM')).to.equal(0);
    });

  const spoilEvent = (position: string): void => {
    const sql = `UPDATE events SET data = CAST(x'ff' AS TEXT) || data WHERE position = ${position}`;
    closeAfter(openWriter(join(directory, 'events.db'), 'NORMAL'), (connection) => connection.exec(sql));
  };

  it('ends no service where it is an event', async () => {
    spoilEvent('100');
    const service = await serveProcess(directory);
    await eventually('damage is told', () => service.lines.some((line) => line.includes('The event log is damaged')));
    expect((await read(service)).body).to.deep.equal(expected);
    expect(await service.end('SIGTERM')).to.equal(0);
  });

  it('ends the start with one line where it is the last event', async () => {
    spoilEvent('(SELECT max(position) FROM events)');
    const { code, stderr } = await runProcess(directory, ['serve']);
    expect(stderr).to.match(/^hiring: the file of the log is damaged at position \d+: .*\n$/);
    expect(code).to.equal(2);
  });
});
