import { execFile, spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { deciders } from '../../src/domain/index.ts';
import { START_POSITION, type RecordedEvent } from '../../src/event-store/port.ts';
import { openReader } from '../../src/sqlite/connections.ts';
import { readFile, root } from '../support/project.ts';
import { openLogHere } from '../support/threads-here.ts';
import { command, describeWith, itWith } from '../support/tools.ts';

/** Of the same build as this test. */
const cli = fileURLToPath(new URL('../../bin/hiring.js', import.meta.url));
const ADDRESS = 'http://127.0.0.1:8080';
const END_OF_STEP = '--- end of step ---';

interface Step {
  readonly title: string;
  readonly script: string;
  readonly prints: string;
}

/** The tour: each `sh` block with the `text` block that shows its output. */
const stepsOf = (readme: string): Step[] => {
  const blocks = /\n\n(?<words>(?:(?!```)[^\n]+\n)+)\n```sh\n(?<script>.*?)```\n\n```text\n(?<prints>.*?)```(?=\n)/gs;
  return [...readme.matchAll(blocks)].map(({ groups: { words = '', script = '', prints = '' } = {} }) => ({
    title: words.replaceAll('*', '').replace(/[.,:](?:\s.*)?$/s, ''),
    script,
    prints,
  }));
};

const readme = readFile('README.md');
const steps = stepsOf(readme);

/** `…` stands for output that differs from run to run. */
const toPattern = (line: string) =>
  new RegExp(
    `^${line
      .split('…')
      .map((part) => part.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&'))
      .join('.*')}$`,
  );

/** Blanks what the machine or a `.env` beside the README may set: an empty text counts as not set. */
const environment = (dataDirectory: string): NodeJS.ProcessEnv => {
  const unset = ['API_KEYS', 'JWT_SECRET', 'JWKS_URL', 'JWT_ISSUER', 'JWT_AUDIENCE', 'CODE_SECRET', 'EVENT_STORE_URL'];
  const others = ['READ_MODEL_URL', 'ROAD_ROUTER_URL', 'SMTP_URL', 'SMS_WEBHOOK_URL', 'METRICS_PORT', 'NODE_ENV'];
  const empty = Object.fromEntries([...unset, ...others].map((name) => [name, '']));
  return { ...process.env, ...empty, HOST: '127.0.0.1', PORT: '0', DATA_DIR: dataDirectory, LOG_LEVEL: 'info' };
};

/** Resolves with the address that the service says it listens on. */
const addressOf = (service: ChildProcess): Promise<string> =>
  new Promise((resolve, reject) => {
    let said = '';
    const listen = (chunk: Buffer) => {
      said += chunk.toString();
      const [found] = /http:\/\/127\.0\.0\.1:\d+/.exec(said) ?? [];
      if (found !== undefined) resolve(found);
    };
    service.stdout?.on('data', listen);
    service.stderr?.on('data', listen);
    service.once('exit', () => reject(new Error(`The service ended before it listened: ${said}`)));
  });

const queries = ['docs/history.md', 'docs/operating.md'].flatMap((path) =>
  [...readFile(path).matchAll(/\n(?<words>[^\n]+):\n\n```sql\n(?<sql>.*?)```/gs)].map(
    ({ groups: { words = '', sql = '' } = {} }) => ({ path, words, sql }),
  ),
);

const sqlite3 = command('sqlite3');
const toolsOf = ({ script }: Step) => (script.startsWith('sqlite3 ') ? [sqlite3] : []);
const canRun = (step: Step) => toolsOf(step).every(({ isThere }) => isThere());

describe('the blocks of the README', () => {
  it('are the steps of its tour', () => {
    expect(steps)
      .to.have.length(readme.split('```sh\n').length - 1)
      .above(5);
  });
});

describeWith([command('bash'), command('curl')], 'the tour of the README', () => {
  let directory: string;
  let outputs: string[];
  let events: RecordedEvent[];

  before(async () => {
    directory = await mkdtemp(join(tmpdir(), 'hiring-readme-'));
    const env = environment(directory);
    const service = spawn(process.execPath, [cli, 'serve'], { cwd: root, env, stdio: ['ignore', 'pipe', 'pipe'] });
    try {
      const address = await addressOf(service);
      const blocks = steps.map((step) => `${canRun(step) ? step.script : ''}echo; echo '${END_OF_STEP}'\n`);
      const script = blocks.join('').replaceAll(ADDRESS, address).replaceAll('dist/bin/hiring.js', cli);
      const { stdout } = await promisify(execFile)('bash', ['-c', `set -eu -o pipefail\n${script}`], {
        cwd: root,
        env,
      });
      outputs = stdout.split(`${END_OF_STEP}\n`);
    } finally {
      const ended = service.exitCode === null ? once(service, 'exit') : undefined;
      service.kill('SIGTERM');
      await ended;
    }
    const eventStore = await openLogHere(join(directory, 'events.db'));
    events = await eventStore.readAll(START_POSITION, 100_000);
    await eventStore.close();
  });

  after(async () => {
    await rm(directory, { recursive: true, force: true });
  });

  for (const [index, step] of steps.entries())
    itWith(toolsOf(step), `prints what it says: ${step.title}`, () => {
      const printed = (outputs[index] ?? '')
        .split('\n')
        .map((line) => line.trim())
        .filter((line) => line !== '');
      const expected = step.prints.trim().split('\n');
      expect(printed).to.have.length(expected.length);
      for (const [number, line] of expected.entries()) expect(printed[number]).to.match(toPattern(line));
    });

  for (const { path, words, sql } of queries)
    it(`leaves a log in which the query of ${path} finds something: ${words}`, () => {
      const reader = openReader(join(directory, 'events.db'));
      const found = reader.prepare(sql).all([]);
      reader.close();
      expect(found).not.to.be.empty;
    });

  it('leaves each event in the stream that docs/events.md names: by the first member of its data', () => {
    expect(events).not.to.be.empty;
    for (const { stream, type, data } of events) {
      const category = deciders.find((decider) => decider.events.some((event) => event.type === type))?.category ?? '';
      const [id] = Object.values(data);
      expect(stream).to.equal(`${category}-${typeof id === 'string' ? id : ''}`);
    }
  });
});
