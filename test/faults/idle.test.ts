import { expect } from 'chai';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { configured, killLeftProcesses, serveProcess } from '../support/process.ts';
import { untilReady } from '../support/service.ts';

const PRELOAD = new URL('./preload-timers.js', import.meta.url).href;
/** The longest of a service's intervals, twice. */
const SECONDS = 10;
const A_SECOND = 4;

describe('A service on files that nobody uses', () => {
  let directory: string;
  before(async () => {
    directory = await mkdtemp(join(tmpdir(), 'hiring-idle-'));
  });
  after(async () => {
    killLeftProcesses();
    await rm(directory, { recursive: true });
  });

  it(`runs at most ${A_SECOND} callbacks of timers a second in all its threads`, async () => {
    const file = join(directory, 'timers');
    const service = await serveProcess(directory, {
      ...configured,
      NODE_OPTIONS: `--enable-source-maps --import=${PRELOAD}`,
      TIMERS_FILE: file,
    });
    await untilReady(service.url);
    const callsIn = async (seconds: number): Promise<readonly string[]> => {
      await writeFile(file, '');
      await delay(seconds * 1_000);
      return (await readFile(file, 'utf8')).trimEnd().split('\n');
    };
    // The start, and the connection that asked whether it is ready, are over then.
    await callsIn(SECONDS);
    const calls = await callsIn(SECONDS);
    expect(calls, 'the writer, the projector and the main thread').to.satisfy((all: readonly string[]) =>
      ['0 ', '1 ', '2 '].every((thread) => all.some((call) => call.startsWith(thread))),
    );
    expect(calls.length, calls.join('\n')).to.be.at.most(SECONDS * A_SECOND);
  });
});
