import { join } from 'node:path';
import { expect } from 'chai';
import { candidateDecider } from '../../../src/domain/candidate.ts';
import { officeDecider } from '../../../src/domain/office.ts';
import { postingDecider } from '../../../src/domain/posting.ts';
import { measures } from '../../../src/history/warehouse/measures.ts';
import { bodies } from '../../support/examples.ts';
import { on } from '../../support/facts.ts';
import { newServerStores, withBothServers } from '../../support/servers.ts';
import { historyStage, type HistoryPlace } from './stage.ts';

const ids = { candidateId: 'c1', postingId: 'p1', professionalId: 'ann' };

const suite = (place?: HistoryPlace) => {
  const { directory, given, serve, history } = historyStage({ ...place, isShared: true });
  const ask = (...args: readonly string[]) => history('ask', ...args, '--copy', join(directory(), 'copy'));

  /** Ann applies late on the last day of February, in UTC, and is answered a day later. */
  before(async () => {
    await given([
      on(officeDecider, 'bright')({ type: 'OfficeRecorded', data: { officeId: 'bright', ...bodies.office } }),
      on(
        postingDecider,
        'p1',
      )({ type: 'PostingRecorded', data: { postingId: 'p1', ...bodies.posting, officeId: 'bright' } }),
      on(candidateDecider, 'c1')(
        { type: 'CandidateApplied', data: { ...ids, resumeId: 'r1' } },
        { at: '2026-03-01T05:00:00.000Z' },
      ),
      on(candidateDecider, 'c1')(
        { type: 'CandidateShortlistChanged', data: { ...ids, isShortlisted: true } },
        { at: '2026-03-02T05:00:00.000Z' },
      ),
    ]);
    if (place?.isServiceAsked) await serve();
  });

  it('answers a measure, and says what it means and by which SQL', async () => {
    const { code, stdout, stderr } = await ask('time_to_answer', '--by', 'office', '--output', 'csv');
    expect([code, stdout], stderr).to.deep.equal([
      0,
      `office_id,office_name,time_to_answer,rows\r\nbright,${bodies.office.officeName},1.0,1\r\n`,
    ]);
    expect(stderr).to.include('Within how many days half of the applications were answered');
    expect(stderr).to.include('FROM applications');
  });

  it('counts months by the days of a place', async () => {
    const monthIn = async (zone: string) =>
      (await ask('applications', '--cohort', 'month', '--time-zone', zone, '--output', 'csv')).stdout.split('\r\n')[1];
    expect([await monthIn('UTC'), await monthIn('America/Denver')]).to.deep.equal(['2026-03-01,1,1', '2026-02-01,1,1']);
  });

  it('counts what began within a span, whose days are those of the place', async () => {
    const countIn = async (zone: string) =>
      (
        await ask('applications', '--from', '2026-02-01', '--to', '2026-03-01', '--time-zone', zone, '--output', 'csv')
      ).stdout.split('\r\n')[1];
    expect([await countIn('UTC'), await countIn('America/Denver')]).to.deep.equal(['0,0', '1,1']);
  });

  for (const [from, to] of [
    ['2026-03-01t04:59:60z', '2026-03-01T05:00:00.001z'],
    // Before that day in UTC, and not in Denver
    ['2026-03-01T01:00:00Z', '2026-03-01'],
  ] as const)
    it(`takes the times ${from} and ${to}`, async () => {
      const { code, stdout, stderr } = await ask(
        ...['applications', '--from', from, '--to', to, '--time-zone', 'America/Denver', '--output', 'csv'],
      );
      expect([code, stdout], stderr).to.deep.equal([0, 'applications,rows\r\n1,1\r\n']);
    });

  it('has no share of nothing', async () => {
    const { stdout } = await ask('hired', '--from', '2027-01-01', '--output', 'csv');
    expect(stdout).to.equal('hired,rows\r\n,0\r\n');
  });
};

describe('hiring history ask', () => suite());

describe('hiring history ask, asked of a service', () => suite({ isServiceAsked: true }));

withBothServers('hiring history ask on servers', () => {
  describe('hiring history ask', () => suite({ newServers: newServerStores }));
});

describe('hiring history ask, whatever the event log holds,', () => {
  const { given, history } = historyStage({ isShared: true });
  before(() =>
    given([on(officeDecider, 'bright')({ type: 'OfficeRecorded', data: { officeId: 'bright', ...bodies.office } })]),
  );
  const ask = (...args: readonly string[]) => history('ask', ...args);

  it('lists all measures without a name', async () => {
    const { code, stdout } = await ask();
    expect(code).to.equal(0);
    for (const { name } of measures) expect(stdout).to.match(new RegExp(`^${name} `, 'm'));
  });

  for (const [args, says] of [
    [['hopes'], /There is no measure hopes; there are postings, saves,/],
    [['hired', '--by', 'moon'], /hired cannot be grouped by moon; it can by office, profession,/],
    [['hired', '--from', '2026-03-01', '--to', '2026-02-01'], /from 2026-03-01 is not before to 2026-02-01/],
    [['hired', '--time-zone', 'Mars/Olympus'], /It must be a time zone, like America\/Denver or UTC/],
  ] as const)
    it(`refuses ${args.join(' ')}`, async () => {
      const { code, stderr } = await ask(...args);
      expect(code).to.equal(2);
      expect(stderr).to.match(says);
    });
});
