import { expect } from 'chai';
import { PassThrough } from 'node:stream';
import { watchBuilds } from '../../../src/cli/projections/watch.ts';
import type { ProjectionBuilds } from '../../../src/builds/build-schema.ts';
import { beginVerification, createProjectionBuilds, setBuildStep } from '../../../src/builds/transitions.ts';
import { NOW } from '../../support/build-records.ts';
import { jsonLines } from './world.ts';

const read = (stream: PassThrough) => stream.read() as Buffer | null;
/** All that was written: newer versions of Node.js read one chunk after the other. */
const text = (stream: PassThrough): string => {
  const chunks: string[] = [];
  for (let chunk = read(stream); chunk !== null; chunk = read(stream)) chunks.push(String(chunk));
  return chunks.join('');
};
const verifying = (): ProjectionBuilds =>
  beginVerification(setBuildStep(createProjectionBuilds('lists', 1, NOW), 'lists@1.1', 'ready'), 1, null, NOW);
const awaited = [{ name: 'lists', build: 'lists@1.2' }];

describe('what a command shows of builds', () => {
  /** Watches builds whose record is these, one after the other, and then the last one. */
  const watch = async (records: readonly ProjectionBuilds[], sayAfterMs?: number) => {
    const [stdout, stderr] = [new PassThrough(), new PassThrough()];
    let look = 0;
    const all = () => {
      const record = records[Math.min(look++, records.length - 1)];
      return Promise.resolve(new Map(record ? [['lists', record]] : []));
    };
    const { signal } = new AbortController();
    await watchBuilds({ stdout, stderr }, { all, pollMs: 1 }, awaited, { isJson: true, signal, sayAfterMs });
    return { lines: jsonLines(text(stdout)), complaint: text(stderr) };
  };
  const over = (record: ProjectionBuilds): ProjectionBuilds => ({
    ...record,
    builds: record.builds.filter(({ id }) => id !== 'lists@1.2'),
    verified: {
      build: 'lists@1.2',
      report: { at: NOW, position: '9', live: 3, built: 3, liveHash: '', builtHash: '', total: 0, differences: [] },
    },
  });

  it('ends with the final numbers, also of a build that is forgotten before it is seen whole', async () => {
    const progress = { events: 60, of: 100, perSecond: 20 };
    const half = setBuildStep(verifying(), 'lists@1.2', 'build', { progress });
    const { lines } = await watch([half, over(half)]);
    expect(lines.at(-1)).to.include({ events: 100, of: 100, secondsLeft: 0 });
  });

  it('says what it waits for where nothing changes', async () => {
    const begun = verifying();
    const { complaint } = await watch([begun, begun, begun, over(begun)], 1);
    expect(complaint).to.match(/^lists: waits: its build has not begun; the service's log says what fails\n/);
    const paused = { ...begun, paused: { since: NOW, by: 'os:ops' } };
    expect((await watch([paused, paused, over(begun)], 1)).complaint).to.include(
      `it is paused since ${NOW} by os:ops; resume it, or cancel the build`,
    );
  });
});
