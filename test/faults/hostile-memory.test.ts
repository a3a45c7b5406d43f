import { expect } from 'chai';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openHostile, type HostileSocket } from '../http/hostile-socket.ts';
import { eventually } from '../support/eventually.ts';
import { configured, killLeftProcesses, serveProcess, type Running } from '../support/process.ts';
import { readFigures, type ProcessFigures } from '../support/process-figures.ts';

const ALL = 100 * 1_024;
const get = (path: string, headers = '') => `GET ${path} HTTP/1.1\r\nHost: a\r\n${headers}\r\n`;
const asOftenAsFits = (request: string, bytes = ALL) => request.repeat(Math.floor(bytes / request.length));

/** What is sent on each of some connections; at most 100 KB in total. */
type Attack = readonly [name: string, connections: number, bytes: string];

const first: Attack = [
  '100 connections that are the first to ask for a large file',
  100,
  get('/docs/swagger-ui-bundle.js', 'Accept-Encoding: gzip\r\n'),
];
const others: readonly Attack[] = [
  ['20 connections that ask 50 times each for a large file', 20, get('/docs/swagger-ui-bundle.js').repeat(50)],
  ['a connection that asks for nothing but a large file', 1, asOftenAsFits(get('/docs/swagger-ui-bundle.js'))],
  [
    'a connection that asks for the packed description',
    1,
    asOftenAsFits(get('/openapi.json', 'Accept-Encoding: gzip\r\n')),
  ],
  ['a connection that asks for the page', 1, asOftenAsFits(get('/docs'))],
  ['a connection that asks for what is not there', 1, asOftenAsFits('GET / HTTP/1.1\r\n\r\n')],
  ['a connection that asks how the service is', 1, asOftenAsFits(get('/health/ready'))],
  ['a connection that asks for methods', 1, asOftenAsFits('OPTIONS /postings/saved HTTP/1.1\r\nHost: a\r\n\r\n')],
  ['100 connections with the beginning of a header', 100, `GET / HTTP/1.1\r\nHost: a\r\nX-A: ${'a'.repeat(900)}`],
  ['a connection with one header that does not end', 1, `GET / HTTP/1.1\r\nHost: a\r\nX-A: ${'a'.repeat(ALL - 100)}`],
  [
    'a connection with a great many headers',
    1,
    `GET / HTTP/1.1\r\nHost: a\r\n${asOftenAsFits('a:\r\n', ALL - 100)}\r\n`,
  ],
  [
    '100 connections with the beginning of a body',
    100,
    `PUT /internal/offices/a HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: 90000\r\n\r\n${'['.repeat(800)}`,
  ],
  [
    'a connection with chunks of one byte',
    1,
    `PUT /internal/offices/a HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n${asOftenAsFits('1\r\n[\r\n', ALL - 100)}`,
  ],
];

/** The attacks on a service of their own. */
const suite = (attacks: readonly Attack[]) => {
  let directory: string;
  let service: Running;
  let idle: ProcessFigures;
  const open: HostileSocket[] = [];

  before(async () => {
    directory = await mkdtemp(join(tmpdir(), 'hiring-hostile-'));
    // Connections of the valid requests are gone soon as well.
    service = await serveProcess(directory, { ...configured, KEEP_ALIVE_SECONDS: '1' });
    idle = await readFigures(service.url);
  });
  afterEach(async () => {
    for (const { socket } of open.splice(0)) socket.destroy();
    const connections = async () => (await readFigures(service.url)).openConnections;
    await eventually('the connections are gone', async () => (await connections()) <= idle.openConnections);
  });
  after(async () => {
    killLeftProcesses();
    await rm(directory, { recursive: true });
  });

  for (const [name, connections, bytes] of attacks)
    it(`by ${name}, which read nothing, take less than 100 MB`, async () => {
      expect(connections * bytes.length).to.be.at.most(ALL);
      for (let count = 1; count <= connections; count++)
        open.push(await openHostile(service.url, bytes, { isReading: false }));
      // Valid requests behind the attack: once they are answered, the service has processed it.
      let most = 0;
      for (let count = 1; count <= 50; count++) {
        expect((await fetch(`${service.url}/health/live`)).status).to.equal(200);
        most = Math.max(most, (await readFigures(service.url)).residentMegabytes);
      }
      expect(most - idle.residentMegabytes).to.be.below(100);
    });
};

describe('The first 100 KB that are sent without a key', () => suite([first]));
describe('100 KB that are sent without a key', () => suite(others));
