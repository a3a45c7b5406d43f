import { expect } from 'chai';
import { bodies, ids } from '../../support/examples.ts';
import { newServerStores, withBothServers } from '../../support/servers.ts';
import { historyStage, type Body, type HistoryPlace } from './stage.ts';

const suite = (place?: HistoryPlace) => {
  const { history, applyAndHire } = historyStage(place);
  const REASON = 'a request of access';
  const person = (id: string, ...more: readonly string[]) => history('person', id, '--reason', REASON, ...more);

  it('prints all that is held of a person, unmasked and whole, and records who asked', async () => {
    const { act, candidate } = await applyAndHire();
    await act('professional', 'POST', '/professionals/postings/save', { postingId: ids.posting });
    const { code, stdout, stderr } = await person(ids.user);
    expect(code, stderr).to.equal(0);
    expect(stderr).to.match(
      /^hiring: professional professional-ann, user user-ann, at position \S+ \(\S+Z\), by version \S+, with personal data\n$/,
    );
    const lines = stdout.split('\n');
    expect(lines[0]).to.equal(`professional-${ids.professional}`);
    expect(lines).to.include.members([
      `    lastName: ${bodies.professional.lastName}`,
      `    picture: ${bodies.professional.picture}`,
      `savedPostings-${ids.professional}`,
      `user-${ids.user}`,
      `candidate-${candidate}`,
    ]);
    expect(stdout).to.include(REASON).and.not.include(`posting-${ids.posting}\n`);

    const json = await person(ids.professional, '--json');
    const events = json.stdout
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as Body);
    expect(events.map(({ type }) => type)).to.include.members([
      ...['ProfessionalRecorded', 'UserNamedByProfessional', 'CandidateApplied', 'CandidateHired'],
      'OperatorActed',
    ]);
    expect(events[0]?.['data']).to.deep.include(bodies.professional);

    const acts = JSON.parse((await history('audit', '--json')).stdout) as Body[];
    expect(acts.map(({ parameters, phase }) => [parameters, phase])).to.deep.equal(
      [ids.user, ids.professional].map((id) => [{ command: 'history person', id, reason: REASON }, 'completed']),
    );
  });

  it('refuses without a reason, and says with exit code 1 that nobody is known', async () => {
    await applyAndHire();
    const without = await history('person', ids.user);
    expect([without.code, without.stdout]).to.deep.equal([2, '']);
    expect(without.stderr).to.equal("hiring: required option '--reason <text>' not specified\n");
    expect((await history('person', ids.user, '--reason', ' ')).stderr).to.include('--reason must say why');
    const nobody = await person('nobody');
    expect([nobody.code, nobody.stdout]).to.deep.equal([1, '']);
    expect(nobody.stderr).to.match(/^hiring: No event up to the position \d+\S* names the person nobody\n$/);
  });
};

describe('hiring history person', () => {
  suite();
});

withBothServers('hiring history person on servers', () => {
  describe('hiring history person', () => {
    suite({ newServers: newServerStores });
  });
});
