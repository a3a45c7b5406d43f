import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import { cuttingProxy } from '../../support/cutting-proxy.ts';
import { bodies, ids } from '../../support/examples.ts';
import { newServerStores, withBothServers } from '../../support/servers.ts';
import { historyStage, type HistoryPlace } from './stage.ts';

interface Found {
  readonly type: string;
  readonly position: string;
  readonly stream: string;
  readonly data: Record<string, unknown>;
}

const suite = (place?: HistoryPlace) => {
  const { history, applyAndHire } = historyStage(place);
  const search = async (...args: readonly string[]): Promise<Found[]> => {
    const { code, stdout } = await history('search', ...args, '--json');
    expect(code).to.equal(0);
    const lines = stdout.split('\n').filter((line) => line !== '');
    return lines.map((line) => JSON.parse(line) as Found);
  };
  const typesOf = (found: readonly Found[]) => found.map(({ type }) => type);

  it('search finds events by type, entity, actor and member, in either order', async () => {
    const { candidate, applied, hired } = await applyAndHire();
    const everything = ['PostingRecorded', 'CandidateApplied', 'CandidateHired'];
    expect(typesOf(await search('--entity', `posting:${ids.posting}`))).to.deep.equal(everything);
    expect(typesOf(await search('--where', `data.postingId=${ids.posting}`))).to.deep.equal(everything);
    expect(typesOf(await search('--entity', `candidate:${candidate}`, '--newest'))).to.deep.equal([
      'CandidateHired',
      'CandidateApplied',
    ]);
    expect(typesOf(await search('--actor', ids.officeUser))).to.deep.equal(['CandidateHired']);
    expect(typesOf(await search('--type', 'CandidateHired', '--type', 'OfficeRecorded'))).to.deep.equal([
      'OfficeRecorded',
      'CandidateHired',
    ]);
    expect(
      typesOf(await search('--from', applied.position, '--to', hired.position, '--stream', `candidate-${candidate}`)),
    ).to.deep.equal(['CandidateHired']);
  });

  it('search says what it was made from, and whether there is more', async () => {
    const { hired } = await applyAndHire();
    const { stdout, stderr } = await history('search', '--to', hired.position, '--limit', '2');
    expect(stdout.split('\n')).to.have.length(3);
    const [position = ''] = /^up to position (\S+) \(\S+Z\), by version \S+\n/.exec(stderr)?.slice(1) ?? [];
    expect(position).to.equal(hired.position);
    expect(stderr).to.match(/as many as asked for, and maybe not all: --limit 2\n$/);
  });

  it('show tells the whole story of an entity, across the streams that name it', async () => {
    const { candidate, applied } = await applyAndHire();
    const { code, stdout, stderr } = await history('show', 'posting', ids.posting);
    expect([code, stderr]).to.deep.equal([0, '']);
    const events = stdout.split('\n').filter((line) => /^\d{4}-/.test(line));
    expect(events.map((line) => line.split(/ {2}/).slice(1, 4))).to.deep.equal([
      ['key:back-office', 'PostingRecorded', `posting-${ids.posting}`],
      [ids.user, 'CandidateApplied', `candidate-${candidate}`],
      [ids.officeUser, 'CandidateHired', `candidate-${candidate}`],
    ]);
    const before = await history('show', 'posting', ids.posting, '--at', applied.position);
    expect(before.stdout).to.include('CandidateApplied').and.not.include('CandidateHired');
  });

  it('show tells what changed, and that a posting closed its candidates', async () => {
    const { act, candidate } = await applyAndHire();
    await act(undefined, 'PUT', `/internal/offices/${ids.office}`, { ...bodies.office, officeName: 'Brighter' });
    await act(undefined, 'POST', `/internal/postings/${ids.posting}/close`);
    const office = await history('show', 'office', ids.office);
    expect(office.stdout).to.match(/^ {4}officeName: Bright Smiles -> Brighter$/m);
    expect((await history('show', 'candidate', candidate)).stdout).to.match(/ PostingClosed /);
  });

  it('say with exit code 1 what is not there, and what is', async () => {
    const { candidate, applied, hired } = await applyAndHire();
    const { position } = hired;
    for (const [args, says] of [
      [['show', 'posting', 'nobody'], `No event up to the position ${position} names posting:nobody`],
      [
        ['show', 'posting', candidate],
        `No event up to the position ${position} names posting:${candidate}; there is candidate:${candidate}`,
      ],
      [['search', '--entity', 'posting:nobody'], `No event up to the position ${position} names posting:nobody`],
      [['search', '--stream', 'posting:p1'], 'There is no stream posting:p1; allowed: <category>-<id>, as posting-p1'],
      [['search', '--actor', 'nobody'], 'No event is like that'],
      [['search', '--where', 'data.postingId=nobody', '--limit', '5'], 'No event is like that'],
      [['search', '--from', position, '--to', applied.position], `${position} comes after ${applied.position}`],
      [['at', 'posting-candidates', 'nobody'], `No event up to the position ${position} names posting:nobody`],
      [['at', 'specialties', 'nothing'], `No event up to the position ${position} names specialty:nothing`],
      [
        ['diff', 'saved-postings', 'nobody', '--from', applied.position],
        `No event up to the position ${position} names professional:nobody`,
      ],
      [
        ['diff', 'posting-candidates', ids.posting, '--from', position, '--to', applied.position],
        `${position} comes after ${applied.position}`,
      ],
      [['explain', 'posting-candidates', 'nobody'], `posting-candidates had no row nobody at position ${position}`],
      [
        ['report', '--state', 'Texas'],
        'No posting is of the state Texas; there are the professions hygienist, and the states TX',
      ],
      [
        ['report', '--profession', 'Hygienist', '--state', 'tx'],
        'No posting is of the profession Hygienist and the state tx; there are the professions hygienist, and the states TX',
      ],
      [['report', '--from', position, '--to', applied.position], `${position} comes after ${applied.position}`],
    ] as const) {
      const { code, stdout, stderr } = await history(...args);
      expect([code, stdout], args.join(' ')).to.deep.equal([1, '']);
      expect(
        stderr
          .trimEnd()
          .split('\n')
          .at(-1)
          ?.replace(/^hiring: (?:http:\S+ refused: )?| \(\S+Z\)$/g, ''),
      ).to.equal(says);
    }
    // What is known may have no events between two moments, and rows of none.
    const none = await history('at', 'saved-postings', ids.professional);
    expect([none.code, none.stdout.includes('no rows')]).to.deep.equal([0, true]);
  });

  it('show has of a professional the stream of the user, too', async () => {
    const { act, hired } = await applyAndHire();
    await act('admin', 'PUT', `/admin/user/${ids.user}/job-notification-settings`, bodies.settings);
    const shown = await history('show', 'professional', ids.professional);
    expect(shown.stdout.match(/UserNamedByProfessional/g)).to.have.length(1);
    expect(shown.stdout).to.include(`JobNotificationSettingsChanged  user-${ids.user}  at `);
    const before = await history('show', 'professional', ids.professional, '--at', hired.position);
    expect(before.stdout).not.to.include('JobNotificationSettingsChanged');
  });

  it('give programs all of a long value', async () => {
    const { act } = await applyAndHire();
    const description = 'We look for somebody. '.repeat(20).trim();
    await act(undefined, 'PUT', `/internal/postings/${ids.posting}`, { ...bodies.posting, description });
    expect((await history('show', 'posting', ids.posting)).stdout).to.include(description);
    expect((await history('search', '--type', 'PostingRecorded')).stdout).to.include(description);
  });

  it('search by personal members only for a reason, which is recorded', async () => {
    await applyAndHire();
    const { lastName, email } = bodies.professional;
    const byName = ['search', '--where', `data.lastName=${lastName}`, '--json'];
    expect((await history(...byName)).stderr).to.match(/^hiring: .*data\.lastName is a personal member/);
    const unmasked = await history(...byName, '--personal-data', '--reason', 'A call by Ann Lee');
    expect(unmasked.stdout).to.include(email);
    const audit = (await history('audit', '--json')).stdout;
    expect(audit).to.include('history search').and.include('A call by Ann Lee');
  });
};

describe('hiring history search and show', () => {
  suite();
  const { directory, history } = historyStage();

  it('say in one line that the event log cannot be read', async () => {
    await writeFile(join(directory(), 'events.db'), 'this is no database, but a text that is long enough');
    for (const args of [['show', 'posting', 'p1'], ['search']])
      expect(await history(...args)).to.deep.equal({
        code: 2,
        stdout: '',
        stderr: 'hiring: EVENT_STORE_URL names a log that cannot be read: file is not a database\n',
      });
  });

  for (const [args, message] of [
    [
      ['search', '--type', 'CandidateHird'],
      /There is no type of events CandidateHird; the nearest are CandidateHired, /,
    ],
    [['search', '--entity', 'job:1'], /There is no kind of entity job; there are professional, posting, /],
    [['show', 'review', 'r1'], /There is no kind of entity review; there are professional, posting, /],
    [['at', 'posting-candidate', 'p1'], /There is no read model posting-candidate; there are posting-candidates, /],
  ] as const)
    it(`say what there is: ${args.join(' ')}`, async () => {
      const { code, stderr } = await history(...args);
      expect(code).to.equal(1);
      expect(stderr).to.match(message);
    });

  for (const [args, message] of [
    [['search', '--entity', 'posting:a/b'], /It must be <kind>:<id>, where the kind is one of professional, /],
    [['search', '--follow', '--newest'], /follow has no end: it takes no to, no upTo and no newest/],
    [['search', '--limit', '0'], /from 1 to 1000000/],
    [['show', 'posting', 'a/b'], /1 to 128 characters/],
  ] as const)
    it(`refuse ${args.join(' ')}`, async () => {
      const { code, stderr } = await history(...args);
      expect(code).to.equal(2);
      expect(stderr).to.match(message);
    });
});

describe('hiring history search and show, asked of a service', () => {
  suite({ isServiceAsked: true });
  const { applyAndHire, historyAt, url } = historyStage({ isServiceAsked: true });

  it('search asks for the rest where answers are cut, and for no more than the limit', async () => {
    await applyAndHire();
    const cutting = await cuttingProxy(url(), () => 2_500);
    try {
      for (const limit of ['100', '4']) {
        const args = ['search', '--json', '--limit', limit];
        const [whole, cut] = [await historyAt(url(), ...args), await historyAt(cutting.url, ...args)];
        expect([cut.code, cut.stdout], cut.stderr).to.deep.equal([0, whole.stdout]);
        expect(cut.stderr).to.include('ended its answer too early');
      }
    } finally {
      await cutting.end();
    }
  });
});

withBothServers('hiring history search and show on servers', () => {
  describe('hiring history search and show', () => {
    suite({ newServers: newServerStores });
  });
  describe('hiring history search and show, asked of a service', function () {
    this.timeout(60_000);
    suite({ newServers: newServerStores, isServiceAsked: true });
  });
});
