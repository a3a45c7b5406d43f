import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { auditLines } from '../../../src/cli/history/audit.ts';
import { auditDecider } from '../../../src/streams/audit.ts';
import { endLeftServices, runCli, serveHere } from '../../support/cli.ts';
import { claims } from '../../support/examples.ts';
import { on, storeWith, type Fact } from '../../support/facts.ts';
import { processKeys } from '../../support/process.ts';
import { tokenFor, untilReady } from '../../support/service.ts';
import { openLogHere } from '../../support/threads-here.ts';

/** More than two pages of a service. */
const ACTS = 205;
const begun = new Date(Date.now() - 3_600_000);
const day = begun.toISOString().slice(0, 10);

const act = (index: number): Fact => {
  const at = new Date(begun.getTime() + index).toISOString();
  const by = index % 2 === 0 ? 'os:ada' : 'user-bob';
  const about = { operation: 'pause', parameters: { projections: ['specialties'] } } as const;
  return on(auditDecider, day)(
    { type: 'OperatorActed', data: { day, actId: `act-${index}`, ...about, phase: 'requested', detail: null } },
    { at, by },
  );
};

describe('hiring history audit, asked of a service', function () {
  this.timeout(60_000);
  let directory: string;
  let url: string;
  before(async () => {
    directory = await mkdtemp(join(tmpdir(), 'hiring-history-audit-'));
    await mkdir(join(directory, 'elsewhere'));
    const log = await openLogHere(join(directory, 'events.db'));
    await storeWith(
      Array.from({ length: ACTS }, (_, index) => act(index)),
      log,
    );
    await log.close();
    ({ url } = await serveHere(directory));
    await untilReady(url);
  });
  after(async () => {
    await endLeftServices();
    await rm(directory, { recursive: true });
  });

  const ofStores = (...options: readonly string[]) => runCli(directory, ['history', 'audit', ...options]);
  const ofService = async (as: keyof typeof claims, ...options: readonly string[]) =>
    runCli(join(directory, 'elsewhere'), ['history', 'audit', ...options, '--from', url], {
      HIRING_API_KEY: processKeys.client,
      HIRING_TOKEN: await tokenFor(claims[as]),
    });

  it('lists the same acts as from the stores, oldest first', async () => {
    const since = begun.toISOString().slice(0, 10);
    for (const options of [['--json'], [], ['--actor', 'user-bob'], ['--operation', 'pause'], ['--since', since]]) {
      const { code, stdout } = await ofService('admin', ...options);
      expect([code, stdout], options.join(' ')).to.deep.equal([0, (await ofStores(...options)).stdout]);
    }
    const { stdout } = await ofService('admin', '--json');
    const acts = JSON.parse(stdout) as { id: string }[];
    expect(acts.map(({ id }) => id)).to.deep.equal(Array.from({ length: ACTS }, (_, index) => `act-${index}`));
  });

  it('is one line an act, also at a narrow terminal', () => {
    const acts = ['completed', 'requested'].map((phase, index) => ({
      id: `act-${index}`,
      requestedAt: '2026-03-02T09:00:00.000Z',
      actor: 'os:ada',
      operation: 'personal-data',
      parameters: { command: 'history sql', of: `SELECT ${'x'.repeat(500)}` },
      phase: phase as 'completed' | 'requested',
      endedAt: null,
      detail: index === 0 ? 'a detail' : null,
      requestId: 'r1',
    }));
    const [headings, first, ...more] = auditLines(acts, { isTTY: true, columns: 100 });
    expect(more).to.have.length(1);
    expect(headings).to.match(/^at +actor +act +outcome +asked with, /);
    expect(first)
      .to.have.length(100)
      .and.to.match(/ {2}completed +command=history sql of=SELEC.*…$/);
    expect(auditLines(acts, {})[1]).to.match(/x{500}: a detail$/);
  });

  it('says who has acts and of what kinds, where there are none, with exit code 1', async () => {
    for (const options of [
      ['--actor', 'os:eve'],
      ['--operation', 'shred'],
      ['--actor', 'os:ada', '--operation', 'shred'],
    ] as const)
      for (const answer of [await ofStores(...options), await ofService('admin', ...options)]) {
        expect([answer.code, answer.stdout]).to.deep.equal([1, '']);
        expect(answer.stderr).to.match(
          /hiring: No such act is recorded; those that are: pause by os:ada, pause by user-bob\n$/,
        );
      }
  });

  it('says how far back a service tells', async () => {
    const { stderr } = await ofService('admin');
    expect(stderr).to.equal('hiring: of the last 365 days; a service tells of no earlier ones\n');
    expect((await ofService('admin', '--since', day)).stderr).to.equal('');
  });

  it('refuses in one line what cannot be', async () => {
    for (const [as, options, says] of [
      ['analyst', [], /refused: .*admin/],
      ['admin', ['--since', '2020-01-01'], /refused: query\/since must be at most 366 days ago/],
    ] as const) {
      const { code, stdout, stderr } = await ofService(as, ...options);
      expect([code, stdout]).to.deep.equal([2, '']);
      const lines = stderr.trimEnd().split('\n');
      expect(lines.at(-1)).to.match(says);
    }
  });
});
