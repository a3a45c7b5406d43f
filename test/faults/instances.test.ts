import { expect } from 'chai';
import { projections } from '../../projections/index.ts';
import { eventually } from '../support/eventually.ts';
import { bodies, ids, phoneNumbers } from '../support/examples.ts';
import { at, textAt } from '../http/answer-rules.ts';
import { sendTo, type Running, type SentRequest } from '../support/process.ts';
import { withBothServers } from '../support/servers.ts';
import { newInstances, untilReady, type Instances } from './instances.ts';

const NAME = 'Three instances side by side';

withBothServers(NAME, (servers) => {
  describe(NAME, function () {
    this.timeout(120_000);
    let instances: Instances;
    let all: readonly Running[] = [];
    const instance = (number = 0): Running => {
      const found = all[number];
      if (!found) throw new Error(`There is no instance ${number}`);
      return found;
    };
    before(async () => {
      instances = await newInstances(servers);
      all = await Promise.all([instances.start(), instances.start(), instances.start()]);
      for (const each of all) await untilReady(each);
      const one = instance();
      await sendTo(one, 'PUT', `/internal/offices/${ids.office}`, { body: bodies.office });
      await sendTo(one, 'PUT', `/internal/postings/${ids.posting}`, { body: bodies.posting });
      await sendTo(one, 'PUT', `/internal/professionals/${ids.professional}`, { body: bodies.professional });
    });
    after(() => instances.end());

    /** The same request to all instances at once, three times each. */
    const toAll = (method: string, path: string, request: SentRequest) =>
      Promise.all([...all, ...all, ...all].map((each) => sendTo(each, method, path, request)));

    const typesOf = async (stream: string): Promise<string[]> => {
      const log = instances.openLog();
      const events = await log.readStream(stream);
      await log.close();
      return events.map(({ type }) => type);
    };

    it('do once what is sent to all of them at once under one Idempotency-Key', async () => {
      const rounds = Array.from({ length: 20 }, (_, round) => (round % 2 === 0 ? 'save' : 'unsave'));
      for (const [round, act] of rounds.entries()) {
        const answers = await toAll('POST', `/professionals/postings/${act}`, {
          as: 'professional',
          headers: { 'Idempotency-Key': `round-${round}` },
          body: { postingId: ids.posting },
        });
        expect(answers.map(({ status }) => status)).to.deep.equal(answers.map(() => 200));
        expect(new Set(answers.map(({ body }) => JSON.stringify(body))).size).to.equal(1);
      }
      expect(await typesOf(`savedPostings-${ids.professional}`)).to.deep.equal(
        rounds.map((act) => (act === 'save' ? 'PostingSaved' : 'PostingUnsaved')),
      );
    });

    it('carry out one of the writes with one ETag that are sent to all of them at once', async () => {
      const path = `/internal/offices/${ids.office}`;
      const { headers } = await sendTo(instance(), 'GET', path);
      const answers = await Promise.all(
        [...all, ...all].map((each, number) =>
          sendTo(each, 'PUT', path, {
            headers: { 'If-Match': headers.get('ETag') ?? '' },
            body: { ...bodies.office, officeName: `Office ${number}` },
          }),
        ),
      );
      const statuses = answers.map(({ status }) => status).sort((a, b) => a - b);
      expect(statuses).to.deep.equal([204, 412, 412, 412, 412, 412]);
    });

    it('let a one-time token be used once', async () => {
      // Given the token for a change of the phone number; the code is in the application log of the asked instance
      const one = instance();
      const flow = await sendTo(one, 'POST', '/mfa/flows', { as: 'professional', body: { flow: 'phone_update_flow' } });
      const code = /code is (\d{6})/.exec(one.lines.join('\n'))?.[1];
      const answer = await sendTo(one, 'POST', `/mfa/flows/${textAt(flow.body, 'flowId')}/challenges/otp_email`, {
        as: 'professional',
        body: { code },
      });
      const token = textAt(answer.body, 'token');

      // When all instances get the token at once
      const answers = await toAll('PATCH', '/users/phone', {
        as: 'professional',
        headers: { 'X-Service-MFA-Token': token },
        body: { phoneNumber: phoneNumbers.wanted },
      });

      // Then
      const statuses = answers.map(({ status }) => status).sort();
      expect(statuses).to.deep.equal([204, ...Array.from({ length: 8 }, () => 403)]);
    });

    it('show what was written at another, to a read with its Consistency-Token', async () => {
      for (let round = 0; round < 30; round++) {
        const act = round % 2 === 0 ? 'save' : 'unsave';
        const writer = instance(round % 3);
        const readers = all.filter((each) => each !== writer);
        const { headers } = await sendTo(writer, 'POST', `/professionals/postings/${act}`, {
          as: 'otherProfessional',
          body: { postingId: ids.posting },
        });
        const token = { 'Consistency-Token': headers.get('Consistency-Token') ?? '' };
        for (const reader of readers) {
          const read = await sendTo(reader, 'GET', '/postings/saved', { as: 'otherProfessional', headers: token });
          expect(read.status, JSON.stringify(read.body)).to.equal(200);
          expect(at(read.body, 'pagination', 'total')).to.equal(act === 'save' ? 1 : 0);
        }
      }
    });

    it('say who keeps which projection, in /metrics of each and in hiring projections list', async () => {
      const { stdout } = await instances.run('projections', 'list', '--json');
      const listed = JSON.parse(stdout) as { projection: string; holder: string; since: string }[];
      const holders = listed.map(({ holder }) => holder);
      const pids = all.map(({ pid }) => String(pid));
      expect(listed).to.have.length(projections.length);
      for (const holder of holders) expect(pids).to.include(holder.split(':')[1]);
      for (const each of all)
        await eventually('the metrics tell the same', async () => {
          const text = String((await sendTo(each, 'GET', '/metrics')).body);
          return listed.every(({ projection, holder, since }) =>
            text.includes(
              `projection_lease_since_seconds{projection="${projection}",holder="${holder}"} ${Date.parse(since) / 1_000}`,
            ),
          );
        });
      const table = (await instances.run('projections', 'list')).stdout;
      for (const { holder, since } of listed) expect(table).to.include(`${holder}, ${since}`);
    });
  });
});

const LIMITED = 'Two instances with a rate limit';

withBothServers(LIMITED, (servers) => {
  describe(LIMITED, () => {
    let instances: Instances;
    before(async () => {
      instances = await newInstances(servers);
    });
    after(() => instances.end());

    it('count together', async () => {
      // Given a limit of a hundred requests in a hundred seconds
      const limit = { RATE_LIMIT_PER_SECOND: '1', RATE_LIMIT_BURST: '100' };
      const both = [await instances.start(limit), await instances.start(limit)];
      for (const each of both) await untilReady(each);

      // When each instance gets sixty
      const answers = await Promise.all(
        both.flatMap((each) =>
          Array.from({ length: 60 }, () => sendTo(each, 'GET', '/postings/saved', { as: 'professional' })),
        ),
      );

      // Then
      expect(answers.filter(({ status }) => status === 200)).to.have.length(100);
      expect(answers.filter(({ status }) => status === 429)).to.have.length(20);
    });
  });
});
