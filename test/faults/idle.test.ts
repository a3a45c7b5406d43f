import { expect } from 'chai';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { configured, killLeftProcesses, serveProcess } from '../support/process.ts';
import { untilReady } from '../support/service.ts';

const PRELOAD = new URL('./preload-timers.js', import.meta.url).href;
/** Twice the longest interval of an unused service. */
const SECONDS = 20;
const PER_SECOND = 4;

describe('A service on files that nobody uses', () => {
  let directory: string;
  before(async () => {
    directory = await mkdtemp(join(tmpdir(), 'hiring-idle-'));
  });
  after(async () => {
    killLeftProcesses();
    await rm(directory, { recursive: true });
  });

  it(`runs at most ${PER_SECOND} callbacks of timers a second, in all its threads`, async () => {
    const file = join(directory, 'timers');
    const options = { NODE_OPTIONS: `--enable-source-maps --import=${PRELOAD}`, TIMERS_FILE: file };
    const service = await serveProcess(directory, { ...configured, ...options });
    await untilReady(service.url);
    const callsFor = async (seconds: number): Promise<readonly string[]> => {
      await writeFile(file, '');
      await delay(seconds * 1_000);
      return (await readFile(file, 'utf8')).trimEnd().split('\n');
    };
    // The start, and the connection that asked whether it is ready, are over then.
    await callsFor(SECONDS / 2);
    const calls = await callsFor(SECONDS);
    const threads = new Set(calls.map((call) => call.charAt(0)));
    expect([...threads], 'main thread, writer and projector').to.include.members(['0', '1', '2']);
    expect(calls.length, calls.join('\n')).to.be.at.most(SECONDS * PER_SECOND);
  });
});
