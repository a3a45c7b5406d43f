import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import { postingCandidates } from '../../../projections/posting-candidates.ts';
import { candidateDecider as candidateStream } from '../../../src/domain/candidate.ts';
import { bodies, ids } from '../../support/examples.ts';
import { on, storeWith } from '../../support/facts.ts';
import { newServerStores, withBothServers } from '../../support/servers.ts';
import { historyStage, type Body, type HistoryPlace } from './stage.ts';
import { openLogHere } from '../../support/threads-here.ts';

interface Event {
  readonly type: string;
  readonly position: string;
  readonly actor: string;
}
interface Answer {
  readonly at: string | null;
  readonly position: string;
  readonly recordedAt: string;
  readonly rows: readonly Body[];
  readonly beside: Body;
  readonly members: readonly { readonly member: string; readonly value: unknown; readonly by: Event }[];
}

const suite = (place?: HistoryPlace) => {
  const { directory, history, applyAndHire } = historyStage(place);
  const answerOf = async (...args: readonly string[]): Promise<Answer> => {
    const { code, stdout, stderr } = await history(...args, '--json');
    expect([code, stderr]).to.deep.equal([0, '']);
    return JSON.parse(stdout) as Answer;
  };

  it('at shows what the service answered then, beside the service', async () => {
    const { applied, hired, before, after } = await applyAndHire();
    for (const [{ position }, body] of [
      [applied, before],
      [hired, after],
    ] as const) {
      const shown = await answerOf(
        ...['at', 'posting-candidates', ids.posting, '--at', position],
        ...['--personal-data', '--reason', 'A question of the office'],
      );
      expect(JSON.stringify(shown.rows)).to.equal(JSON.stringify(body['data']));
      expect(JSON.stringify(shown.beside['metadata'])).to.equal(JSON.stringify(body['metadata']));
      expect(shown).to.include({
        position,
        partition: ids.posting,
        projection: `posting-candidates@${postingCandidates.version}`,
      });
    }
  });

  it('give the same bytes for a time and the position of an answer, whatever is written meanwhile', async () => {
    const { applied, act } = await applyAndHire();
    const { recordedAt: time } = await answerOf('at', 'posting-candidates', ids.posting, '--at', applied.position);
    const candidate = (await answerOf('at', 'posting-candidates', ids.posting)).rows[0]?.['id'];
    const ofCandidates = ['posting-candidates', ids.posting];
    const questions = [
      ['at', ...ofCandidates, '--at', time],
      ['diff', ...ofCandidates, '--from', time],
      ['diff', ...ofCandidates, '--from', '2026-01-01', '--to', time],
      ['explain', 'posting-candidates', String(candidate), '--at', time],
      ['show', 'posting', ids.posting, '--at', time],
      ['types', '--at', time],
      ['search', '--from', time, '--type', 'CandidateHired'],
      ['search', '--to', time],
    ];
    const { at, position } = await answerOf('at', ...ofCandidates, '--at', time);
    expect(at).to.equal(time);
    const before = await Promise.all(questions.map((question) => history(...question, '--json')));
    await act(undefined, 'POST', `/internal/postings/${ids.posting}/close`);
    const again = await Promise.all(questions.map((question) => history(...question, '--up-to', position, '--json')));
    for (const [index, { code, stdout, stderr }] of again.entries())
      expect([stdout, stderr, code]).to.deep.equal([before[index]?.stdout, before[index]?.stderr, 0]);
  });

  it('at gives the same bytes for a position, whatever is written meanwhile', async () => {
    const { service, act } = await applyAndHire();
    const { position } = await answerOf('at', 'posting-candidates', ids.posting);
    const first = await history('at', 'posting-candidates', ids.posting, '--json');
    await act(undefined, 'POST', `/internal/postings/${ids.posting}/close`);
    expect(await history('at', 'posting-candidates', ids.posting, '--at', position, '--json')).to.deep.equal(first);
    if (place?.isServiceAsked) return;
    // Without a service either.
    await service.end();
    expect(await history('at', 'posting-candidates', ids.posting, '--at', position, '--json')).to.deep.equal(first);
  });

  it('show masks in the place of personal members, the same for the same value', async () => {
    const { posted, candidate } = await applyAndHire();
    const outputs = await Promise.all(
      [
        ['at', 'admin-posting-candidates', ids.posting],
        ['at', 'professional-profiles', ids.professional],
        ['diff', 'admin-posting-candidates', ids.posting, '--from', posted.position],
        ['explain', 'admin-posting-candidates', candidate],
      ].map((args) => history(...args, '--json')),
    );
    const { firstName, lastName, email, phone, picture } = bodies.professional;
    for (const { code, stdout } of outputs) {
      expect(code).to.equal(0);
      for (const personal of [firstName, lastName, email, phone, picture]) expect(stdout).to.not.include(personal);
    }
    const masks = outputs.map(({ stdout }) => /"(?:professionalEmail|email)":\s*"(masked-\w+)"/.exec(stdout)?.[1]);
    expect(masks[0]).to.be.a('string');
    expect(masks.slice(0, 3)).to.deep.equal([masks[0], masks[0], masks[0]]);
  });

  it('show personal members for a reason, which is recorded first', async () => {
    const { candidate } = await applyAndHire();
    const unmasked = ['explain', 'admin-posting-candidates', candidate, '--personal-data'];
    const refused = await history(...unmasked);
    expect([refused.code, refused.stdout, refused.stderr]).to.deep.equal([
      2,
      '',
      'hiring: --personal-data needs a --reason, which is recorded\n',
    ]);
    const { members } = await answerOf(...unmasked, '--reason', 'A call by Ann Lee');
    expect(members.find(({ member }) => member === 'professionalEmail')?.value).to.equal(bodies.professional.email);
    const audit = JSON.parse((await history('audit', '--json')).stdout) as Body[];
    expect(audit).to.have.length(1);
    expect(audit[0]).to.deep.include({
      operation: 'personal-data',
      phase: 'completed',
      parameters: {
        command: 'history explain',
        readModel: 'admin-posting-candidates',
        row: candidate,
        reason: 'A call by Ann Lee',
      },
    });
  });

  it('at shows a table, with what stands beside the rows', async () => {
    const { applied, candidate } = await applyAndHire();
    const { code, stdout } = await history('at', 'posting-candidates', ids.posting, '--at', applied.position);
    expect(code).to.equal(0);
    const [title = '', , headings = '', row = ''] = stdout.split('\n');
    expect(title).to.match(/^posting-candidates of posting-hygienist at position \S+ \(\S+Z\), by /);
    expect(headings).to.match(/^id +appliedAt +createdAt /);
    expect(row).to.include(candidate).and.include('applied');
    expect(stdout).to.match(/^metadata\.tabs\.all: 1$/m);
  });

  it('give CSV, whose title is on standard error', async () => {
    const { posted, hired, candidate } = await applyAndHire();
    const csv = (...args: readonly string[]) => history(...args, '--output', 'csv');
    const at = await csv('at', 'posting-candidates', ids.posting);
    expect(at.code).to.equal(0);
    const [headings = '', row = '', end] = at.stdout.split('\r\n');
    expect(headings).to.match(/^id,appliedAt,createdAt,/);
    expect(row)
      .to.match(new RegExp(`^${candidate},`))
      .and.include(',hired,');
    expect(end).to.equal('');
    expect(at.stderr).to.match(/^posting-candidates of posting-hygienist at position \S+ \(\S+Z\), by .*\n$/);
    const diff = await csv('diff', 'posting-candidates', ids.posting, '--from', posted.position);
    expect(diff.stdout).to.match(
      new RegExp(
        `^change,row,member,from,to,event,position,recorded at,actor,request\r\nadded,${candidate},,,,CandidateApplied,`,
      ),
    );
    const explained = await csv('explain', 'posting-candidates', candidate);
    expect(explained.stdout).to.include(`\r\nhiringStatus,hired,CandidateHired,${hired.position},`);
    expect(explained.stdout).to.match(/\r\nisShortlisted,false,/);
  });

  it('diff names what changed, and the event that did it', async () => {
    const { posted, applied, hired, candidate } = await applyAndHire();
    const added = await answerOf(
      ...['diff', 'posting-candidates', ids.posting],
      ...['--from', posted.position, '--to', applied.position],
    );
    expect(added.rows).to.have.length(1);
    expect(added.rows[0]).to.include({ kind: 'added', id: candidate });
    const { rows } = await answerOf(...['diff', 'posting-candidates', ids.posting, '--from', applied.position]);
    const changed = rows[0]?.['members'] as { member: string; from: unknown; to: unknown; by: Event }[];
    const statuses = changed.filter(({ member }) => member.endsWith('Status'));
    expect(statuses.map(({ member, from, to }) => [member, from, to])).to.deep.equal([
      ['hiringStatus', 'open', 'hired'],
      ['officeStatus', 'applied', 'hired'],
      ['professionalStatus', 'applied', 'hired'],
    ]);
    for (const { by } of changed)
      expect(by).to.include({ type: 'CandidateHired', position: hired.position, actor: ids.officeUser });
    const table = await history('diff', 'posting-candidates', ids.posting, '--from', applied.position);
    expect(table.stdout).to.match(/changed +\S+ +officeStatus +applied +hired +CandidateHired /);
  });

  it('explain names for each member the event that set it', async () => {
    const { applied, hired, candidate } = await applyAndHire();
    const { members } = await answerOf('explain', 'posting-candidates', candidate);
    const eventsOf = new Map(members.map(({ member, by }) => [member, by.type]));
    expect(eventsOf.get('officeStatus')).to.equal('CandidateHired');
    expect(eventsOf.get('appliedAt')).to.equal('CandidateApplied');
    expect(eventsOf.get('professionalName')).to.equal('ProfessionalRecorded');
    expect(members.find(({ member }) => member === 'officeStatus')?.by.position).to.equal(hired.position);
    const then = await answerOf('explain', 'posting-candidates', candidate, '--at', applied.position);
    expect(then.members.find(({ member }) => member === 'officeStatus')).to.deep.include({ value: 'applied' });
    const table = await history('explain', 'posting-candidates', candidate);
    expect(table.stdout).to.match(/^officeStatus +hired +CandidateHired +\S+ +\S+Z +user-olivia +\S+$/m);
  });
  return { directory, history, applyAndHire, answerOf };
};

describe('hiring history at, diff and explain', () => {
  const { directory, history, applyAndHire, answerOf } = suite();

  const refusal = async (...args: readonly string[]) => {
    const { code, stdout, stderr } = await history(...args);
    const isNotThere = /comes after|had no row|no read model/.test(stderr);
    expect([code, stdout]).to.deep.equal([isNotThere ? 1 : 2, '']);
    return stderr;
  };

  it('refuse in one line what cannot be asked, and make no files', async () => {
    expect(await refusal('at', 'posting-candidates', 'p1')).to.match(
      /^hiring: There is no event log to read: \S+ is empty, or not mounted; allowed: .*\n$/,
    );
    expect(await readdir(directory())).to.deep.equal([]);
    expect(await refusal('at', 'candidates', 'p1')).to.match(
      /There is no read model candidates; there are posting-candidates, admin-posting-candidates, /,
    );
    expect(await refusal('at', 'posting-candidates', 'p1', '--at', '2026-03-01T09:30:00')).to.match(
      /It must be a position, a day in UTC or an RFC 3339 time with its zone/,
    );
  });

  it('do not trust read models that were made from another event log', async () => {
    // Given read models with a hired candidate, beside an event log in which another one applied
    const { service } = await applyAndHire();
    await service.end();
    for (const suffix of ['', '-wal', '-shm']) await rm(join(directory(), `events.db${suffix}`), { force: true });
    const log = await openLogHere(join(directory(), 'events.db'));
    const other = { candidateId: 'c2', postingId: ids.posting, professionalId: ids.otherProfessional };
    const applied = { type: 'CandidateApplied', data: { ...other, resumeId: 'r2' } } as const;
    await storeWith([on(candidateStream, 'c2')(applied)], log);
    await log.close();

    // When, then
    const { rows } = await answerOf('at', 'posting-candidates', ids.posting);
    expect(rows.map(({ id }) => id)).to.deep.equal(['c2']);
  });

  it('refuse a position without an event, moments the wrong way round, and a row that is not there', async () => {
    const { service, applied, posted } = await applyAndHire();
    await service.end();
    expect(await refusal('at', 'posting-candidates', 'p1', '--at', '99')).to.equal(
      'hiring: No event stands at the position 0000000000000099\n',
    );
    expect(
      await refusal(
        ...['diff', 'posting-candidates', ids.posting],
        ...['--from', applied.position, '--to', posted.position],
      ),
    ).to.equal(`hiring: ${applied.position} comes after ${posted.position}\n`);
    expect(await refusal('explain', 'posting-candidates', 'nobody')).to.match(
      /^hiring: posting-candidates had no row nobody at position \d+ \(\S+Z\)\n$/,
    );
  });
});

describe('hiring history at, diff and explain, asked of a service', () => {
  suite({ isServiceAsked: true });
});

withBothServers('hiring history at, diff and explain on servers', () => {
  describe('hiring history at, diff and explain', () => {
    suite({ newServers: newServerStores });
  });
  describe('hiring history at, diff and explain, asked of a service', function () {
    this.timeout(60_000);
    suite({ newServers: newServerStores, isServiceAsked: true });
  });
});
