import { expect } from 'chai';
import { auditDecider } from '../../src/streams/audit.ts';
import { postingDecider } from '../../src/domain/posting.ts';
import { savedPostingsDecider } from '../../src/domain/saved-postings.ts';
import { runProgram } from '../../src/cli/program.ts';
import { configured } from '../support/process.ts';
import { bodies } from '../support/examples.ts';
import { terminalIn } from '../support/cli.ts';
import { on, type Fact } from '../support/facts.ts';
import { historyStage } from './history/stage.ts';

/** What no line that is printed may hold; the break between two lines is not one of them. */
const HIDDEN = /[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}]/u;

const FORGED = 'a call\n2026-03-02T00:00:00.000Z  os:root  token  user=eve  completed';
const TURNED = 'Hygienist \u202egnirts\u2066';

/** Events of a version that let such text pass. */
const planted: readonly Fact[] = [
  on(auditDecider, '2026-03-02')(
    {
      type: 'OperatorActed',
      data: {
        day: '2026-03-02',
        actId: 'act-1',
        operation: 'x\u202ey',
        parameters: { reason: FORGED },
        phase: 'failed',
        detail: TURNED,
      },
    },
    { by: 'os:ada' },
  ),
  on(
    postingDecider,
    'p1',
  )({ type: 'PostingRecorded', data: { postingId: 'p1', ...bodies.posting, title: TURNED, description: FORGED } }),
  on(savedPostingsDecider, 'ann')({ type: 'PostingSaved', data: { professionalId: 'ann', postingId: 'p1' } }),
];

describe('Text that others chose, at the command line', function () {
  this.timeout(60_000);
  const { directory, given, history } = historyStage({ isShared: true });
  before(() => given(planted));

  const linesOf = async (...args: readonly string[]): Promise<readonly string[]> => {
    const { code, stdout, stderr } = await history(...args);
    expect(code, stderr).to.equal(0);
    return stdout.trimEnd().split('\n');
  };

  const personal = ['--personal-data', '--reason', 'a question'];
  for (const args of [
    ['search', '--type', 'OperatorActed', ...personal],
    ['show', 'posting', 'p1'],
    ['at', 'saved-postings', 'ann'],
    ['explain', 'saved-postings', 'ann/p1'],
    ['sql', `SELECT title, description FROM PostingRecorded WHERE title LIKE '${TURNED}%'`],
    ['sql', 'SELECT 1 AS "a\u202eb\nc"'],
  ])
    it(`is printed with every character visible: ${args
      .slice(0, 2)
      .join(' ')
      .replaceAll(/[^ -~]/gu, '?')}`, async () => {
      const lines = await linesOf(...args);
      expect(lines.filter((line) => HIDDEN.test(line))).to.deep.equal([]);
      expect(lines.join('\n')).to.include('\\u202e');
    });

  it('makes no line of the audit', async () => {
    const [, first, ...more] = await linesOf('audit', '--actor', 'os:ada');
    expect(more).to.deep.equal([]);
    expect(first).to.include('reason=a call\\u000a2026-03-02T00:00:00.000Z  os:root');
    expect(first).to.match(/ {2}failed {2}.*: Hygienist \\u202egnirts\\u2066$/);
  });

  it('makes no line of a refusal', async () => {
    const { code, stderr } = await history('show', 'posting', 'p\u202e1');
    expect(code).to.equal(2);
    expect(HIDDEN.test(stderr.trimEnd()), stderr).to.equal(false);
    expect(stderr).to.include('p\\u202e1');
  });

  it('is as it was in JSON for a program', async () => {
    const { stdout } = await history('search', '--type', 'PostingRecorded', '--json');
    const { data } = JSON.parse(stdout) as { data: unknown };
    expect(data).to.include({ title: TURNED, description: FORGED });
    expect(stdout).to.include('\u202e');
  });

  for (const output of ['json', 'csv'] as const)
    it(`is visible in ${output} too where that goes to a terminal`, async () => {
      const { terminal, stdout } = terminalIn(directory(), { ...configured, XDG_CACHE_HOME: directory() });
      const screen = Object.assign(terminal.stdout, { isTTY: true });
      const args = ['history', 'sql', 'SELECT title FROM PostingRecorded', '--output', output];
      expect(await runProgram(args, { ...terminal, stdout: screen })).to.equal(0);
      expect(
        stdout()
          .split('\n')
          .filter((line) => HIDDEN.test(line)),
      ).to.deep.equal([]);
      expect(stdout()).to.include('Hygienist \\u202egnirts\\u2066');
    });

  for (const reason of ['a\nb', 'a\u0085b', 'a\u2028b', 'a\u202eb', 'a\u2066b', 'a\u200fb', 'a\u061cb'])
    it(`is refused as a reason: ${JSON.stringify(reason).replaceAll(/[^ -~]/gu, '?')}`, async () => {
      const { code, stdout, stderr } = await history('search', '--personal-data', '--reason', reason);
      expect([code, stdout]).to.deep.equal([2, '']);
      expect(stderr).to.equal(
        'hiring: --reason must say why, in 1 to 500 characters, none of them a control or bidirectional one\n',
      );
    });

  it('is recorded visibly where a statement of several lines is', async () => {
    await linesOf('sql', 'SELECT 1,\n2', '--personal-data', '--reason', 'a wrong name');
    const lines = await linesOf('audit');
    expect(lines.at(-1)).to.include('of=SELECT 1,\\u000a2');
  });
});
