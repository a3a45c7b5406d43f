import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { candidate } from '../../src/domain/candidate.ts';
import { office } from '../../src/domain/office.ts';
import { posting } from '../../src/domain/posting.ts';
import { professional } from '../../src/domain/professional.ts';
import { specialty } from '../../src/domain/specialty.ts';
import { openEmbeddedEventStore } from '../../src/event-store/embedded/event-store.ts';
import { runCli } from '../support/cli.ts';
import { bodies } from '../support/examples.ts';
import { on, storeWith, type Fact } from '../support/facts.ts';
import { readFile } from '../support/project.ts';

const COMMAND = '$ node dist/src/cli/hiring.js ';

/** The commands of the page, each with the output that the page shows. */
const examples = [...readFile('docs/history.md').matchAll(/^```text\n(\$ .*?)\n(.*?)^```$/gms)]
  .map(([, command = '', prints = '']) => ({ args: command.slice(COMMAND.length).split(' '), prints }))
  .filter(({ args: [history, name = ''] }) => history === 'history' && /^(at|diff|explain)$/.test(name));

const minute = (number: number) => `2026-03-02T09:0${number}:00.000Z`;
const ids = { candidateId: 'c1', postingId: 'p1', professionalId: 'ann' };

/** What the page tells of: an application, an interview and a hire, while a specialty gets another order. */
const world: readonly Fact[] = [
  on(office, 'bright')(
    { type: 'OfficeRecorded', data: { officeId: 'bright', ...bodies.office } },
    { at: minute(0) },
  ),
  on(professional, 'ann')(
    { type: 'ProfessionalRecorded', data: { professionalId: 'ann', ...bodies.professional } },
    { at: minute(0) },
  ),
  on(posting, 'p1')(
    { type: 'PostingRecorded', data: { postingId: 'p1', ...bodies.posting, officeId: 'bright' } },
    { at: minute(0) },
  ),
  on(specialty, 'ortho')(
    { type: 'SpecialtyRecorded', data: { specialtyId: 'ortho', ...bodies.specialty } },
    { at: minute(1) },
  ),
  on(candidate, 'c1')(
    { type: 'CandidateApplied', data: { ...ids, resumeId: 'r1' } },
    { at: minute(2), by: 'user-ann' },
  ),
  on(candidate, 'c1')(
    {
      type: 'InterviewScheduled',
      data: { ...ids, interviewId: 'i1', interviewAt: '2026-03-05T15:00:00.000Z' },
    },
    { at: minute(3), by: 'user-olivia' },
  ),
  on(specialty, 'ortho')(
    {
      type: 'ProceduresReordered',
      data: { specialtyId: 'ortho', procedureIds: ['aligners', 'braces', 'retainers'] },
    },
    { at: minute(4), by: 'user-ada' },
  ),
  on(candidate, 'c1')(
    { type: 'InterviewHeld', data: { ...ids, interviewId: 'i1' } },
    { at: minute(5), by: 'user-olivia' },
  ),
  on(candidate, 'c1')({ type: 'CandidateHired', data: ids }, { at: minute(6), by: 'user-olivia' }),
];

describe('docs/history.md, read models as they were', () => {
  let directory: string;
  before(async () => {
    directory = await mkdtemp(join(tmpdir(), 'hiring-history-page-'));
    const log = await openEmbeddedEventStore(join(directory, 'events.db'));
    await storeWith(world, log);
    await log.close();
  });
  after(() => rm(directory, { recursive: true }));

  it('shows an example of each command', () => {
    expect(examples.map(({ args: [, name] }) => name)).to.deep.equal(['at', 'diff', 'explain']);
  });

  for (const { args, prints } of examples)
    it(`shows what this prints: hiring ${args.join(' ')}`, async () => {
      expect(await runCli(directory, args)).to.deep.equal({ code: 0, stdout: prints, stderr: '' });
    });
});
