import { join } from 'node:path';
import { candidateDecider } from '../../src/domain/candidate.ts';
import { officeDecider } from '../../src/domain/office.ts';
import { postingDecider } from '../../src/domain/posting.ts';
import { professionalDecider } from '../../src/domain/professional.ts';
import { specialtyDecider } from '../../src/domain/specialty.ts';
import { bodies } from '../support/examples.ts';
import { on, storeWith, type Fact } from '../support/facts.ts';
import { directoryForAll } from '../support/files.ts';
import { readFile } from '../support/project.ts';
import { openLogHere } from '../support/threads-here.ts';

/** A command of the page docs/history.md, with what the page says that it prints. */
export interface HistoryExample {
  /** After `hiring`, as it stands there. */
  readonly command: string;
  readonly prints: string;
}

/** What stands before a command of the command line. */
export const COMMAND = '$ node dist/bin/hiring.js ';

/** The words of a command, of which some are in double quotes. */
export const wordsOf = (command: string): readonly string[] =>
  [...command.matchAll(/"([^"]*)"|(\S+)/g)].map(([, quoted, word]) => quoted ?? word ?? '');

/** The examples of some commands, as `history at`. */
export const historyExamples = (names: readonly string[]): readonly HistoryExample[] =>
  [...readFile('docs/history.md').matchAll(/^```text\n(\$ .*?)\n(.*?)^```$/gms)]
    .map(([, command = '', prints = '']) => ({ command: command.slice(COMMAND.length), prints }))
    .filter(({ command }) => names.some((name) => command.startsWith(`history ${name} `)));

const minute = (number: number) => `2026-03-02T09:0${number}:00.000Z`;
const ids = { candidateId: 'c1', postingId: 'p1', professionalId: 'ann' };

/** What the page tells of: an application, an interview and a hire, while a specialty gets another order. */
export const historyWorld: readonly Fact[] = [
  on(officeDecider, 'bright')(
    { type: 'OfficeRecorded', data: { officeId: 'bright', ...bodies.office } },
    { at: minute(0) },
  ),
  on(professionalDecider, 'ann')(
    { type: 'ProfessionalRecorded', data: { professionalId: 'ann', ...bodies.professional } },
    { at: minute(0) },
  ),
  on(postingDecider, 'p1')(
    { type: 'PostingRecorded', data: { postingId: 'p1', ...bodies.posting, officeId: 'bright' } },
    { at: minute(0) },
  ),
  on(specialtyDecider, 'ortho')(
    { type: 'SpecialtyRecorded', data: { specialtyId: 'ortho', ...bodies.specialty } },
    { at: minute(1) },
  ),
  on(candidateDecider, 'c1')(
    { type: 'CandidateApplied', data: { ...ids, resumeId: 'r1' } },
    { at: minute(2), by: 'user-ann' },
  ),
  on(candidateDecider, 'c1')(
    { type: 'InterviewScheduled', data: { ...ids, interviewId: 'i1', interviewAt: '2026-03-05T15:00:00.000Z' } },
    { at: minute(3), by: 'user-olivia' },
  ),
  on(specialtyDecider, 'ortho')(
    { type: 'ProceduresReordered', data: { specialtyId: 'ortho', procedureIds: ['aligners', 'braces', 'retainers'] } },
    { at: minute(4), by: 'user-ada' },
  ),
  on(candidateDecider, 'c1')(
    { type: 'InterviewHeld', data: { ...ids, interviewId: 'i1' } },
    { at: minute(5), by: 'user-olivia' },
  ),
  on(candidateDecider, 'c1')({ type: 'CandidateHired', data: ids }, { at: minute(6), by: 'user-olivia' }),
];

/** A directory with the event log of a world, for all tests of a suite. */
export const pageStage = (world: readonly Fact[] = historyWorld): (() => string) => {
  const directory = directoryForAll('hiring-history-page-');
  before(async () => {
    const log = await openLogHere(join(directory(), 'events.db'));
    await storeWith(world, log);
    await log.close();
  });
  return directory;
};
