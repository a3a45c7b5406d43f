import { expect } from 'chai';
import { cuttingProxy } from '../support/cutting-proxy.ts';
import { bodies, ids } from '../support/examples.ts';
import { newServerStores, withBothServers } from '../support/servers.ts';
import { historyStage, type HistoryPlace } from './history-stage.ts';

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
      typesOf(
        await search(
          '--from',
          applied.position,
          '--to',
          hired.position,
          '--stream',
          `candidate-${candidate}`,
        ),
      ),
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
    await act(undefined, 'PUT', `/internal/offices/${ids.office}`, {
      ...bodies.office,
      officeName: 'Brighter',
    });
    await act(undefined, 'POST', `/internal/postings/${ids.posting}/close`);
    const office = await history('show', 'office', ids.office);
    expect(office.stdout).to.match(/^ {4}officeName: Bright Smiles -> Brighter$/m);
    expect((await history('show', 'candidate', candidate)).stdout).to.match(/ PostingClosed /);
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
  const { history } = historyStage();

  for (const [args, message] of [
    [['search', '--type', 'Nonsense'], /It must be a type of events/],
    [
      ['search', '--entity', 'job:1'],
      /It must be <kind>:<id>, where the kind is one of professional, posting, /,
    ],
    [['search', '--follow', '--newest'], /follow has no end: it takes no to, no upTo and no newest/],
    [['search', '--limit', '0'], /from 1 to 1000000/],
    [['show', 'review', 'r1'], /It must be one of professional, posting, /],
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
