import { expect } from 'chai';
import { eventually } from '../support/eventually.ts';
import { ids, phoneNumbers, times } from '../support/examples.ts';
import { at, expectError, textAt } from './answer-rules.ts';
import { startCheckedService, startWithPorts, type CheckedService } from './checked-service.ts';
import { mfaToken, putProfessional, requestToken, unchanged } from './stories.ts';

const path = '/users/phone';
const ann = { as: 'professional' } as const;
const bob = { as: 'otherProfessional' } as const;

/** PATCH /users/phone (interface specification, 4.1). */
describe('Updating the phone number', () => {
  let service: CheckedService;
  const shown = async () =>
    at((await service.send('GET', `/internal/professionals/${ids.professional}`)).body, 'phone');
  const withToken = (token: string, phoneNumber: string = phoneNumbers.wanted) =>
    service.send('PATCH', path, { ...ann, headers: { 'X-Service-MFA-Token': token }, body: { phoneNumber } });

  before(async () => {
    service = await startCheckedService();
  });
  beforeEach(async () => {
    service.clock.advance(61);
    await putProfessional(service);
  });
  after(() => service.stop());

  describe('by a requestToken', () => {
    it('sets the number that the code was sent to', async () => {
      const token = await requestToken(service, phoneNumbers.other);
      const answer = await service.send('PATCH', path, { ...ann, body: { requestToken: token } });
      expect(answer).to.include({ status: 204, body: undefined });
      expect(await shown()).to.equal(phoneNumbers.other);
    });

    it('takes a token once', async () => {
      const token = await requestToken(service, phoneNumbers.other);
      await service.send('PATCH', path, { ...ann, body: { requestToken: token } });
      await unchanged(service, async () => {
        expectError(await service.send('PATCH', path, { ...ann, body: { requestToken: token } }), 403, /requestToken/);
      });
    });

    it('is a 403 with a token of another user, which stays usable', async () => {
      const token = await requestToken(service, phoneNumbers.other);
      await unchanged(service, async () => {
        expectError(await service.send('PATCH', path, { ...bob, body: { requestToken: token } }), 403, /requestToken/);
      });
      expect((await service.send('PATCH', path, { ...ann, body: { requestToken: token } })).status).to.equal(204);
    });

    it('is a 403 with a token that has expired, at that very moment', async () => {
      const token = await requestToken(service, phoneNumbers.other);
      service.clock.advance(10);
      expectError(await service.send('PATCH', path, { ...ann, body: { requestToken: token } }), 403, /requestToken/);
    });

    it('is a 403 with an unknown, a changed or a mail token', async () => {
      const sms = await requestToken(service, phoneNumbers.other);
      const mail = await mfaToken(service);
      await unchanged(service, async () => {
        for (const token of ['x', '', '.', `${sms}x`, sms.slice(0, -1), sms.toUpperCase(), mail, 'x'.repeat(1_000)])
          expectError(
            await service.send('PATCH', path, { ...ann, body: { requestToken: token } }),
            403,
            /requestToken/,
          );
      });
    });
  });

  describe('by the multi-factor flow', () => {
    it('sets the number in the body', async () => {
      expect(await withToken(await mfaToken(service))).to.include({ status: 204, body: undefined });
      expect(await shown()).to.equal(phoneNumbers.wanted);
    });

    it('stores a number as E.164, whatever way it is written in', async () => {
      expect((await withToken(await mfaToken(service), '(512) 555-0188')).status).to.equal(204);
      expect(await shown()).to.equal(phoneNumbers.wanted);
    });

    it('takes a token once', async () => {
      const token = await mfaToken(service);
      await withToken(token);
      expectError(await withToken(token, phoneNumbers.other), 403, /X-Service-MFA-Token/);
      expect(await shown()).to.equal(phoneNumbers.wanted);
    });

    it('is a 403 without the header, and with an unknown, an SMS or a foreign token', async () => {
      const sms = await requestToken(service, phoneNumbers.other);
      const own = await mfaToken(service);
      await unchanged(service, async () => {
        expectError(
          await service.send('PATCH', path, { ...ann, body: { phoneNumber: phoneNumbers.other } }),
          403,
          /X-Service-MFA-Token/,
        );
        for (const token of ['', 'x', sms, `${own}x`, 'x'.repeat(5_000)])
          expectError(await withToken(token), 403, /X-Service-MFA-Token/);
        const headers = { 'X-Service-MFA-Token': own };
        expectError(
          await service.send('PATCH', path, { ...bob, headers, body: { phoneNumber: phoneNumbers.other } }),
          403,
          /X-Service-MFA/,
        );
      });
    });

    it('is a 403 with a token that has expired', async () => {
      const token = await mfaToken(service);
      service.clock.advance(10);
      expectError(await withToken(token), 403, /X-Service-MFA-Token/);
    });

    it('is a 400 with what cannot be a number, and leaves the token usable', async () => {
      const token = await mfaToken(service);
      await unchanged(service, async () => {
        for (const number of [
          '',
          'x',
          '1',
          '+',
          '+1',
          '12345',
          `+1512555018${'8'.repeat(20)}`,
          '+1 512 555 0188 ext. 5',
          'tel',
          '+999123456789',
        ])
          expectError(await withToken(token, number), 400, /^body\/phoneNumber must be a phone number/);
      });
      expect((await withToken(token)).status).to.equal(204);
    });
  });

  it('is a 400 with both or neither of phoneNumber and requestToken, null counting as left out', async () => {
    const neither = [{}, { phoneNumber: null }, { requestToken: null }, { phoneNumber: null, requestToken: null }];
    const both = { phoneNumber: phoneNumbers.wanted, requestToken: 'x' };
    await unchanged(service, async () => {
      for (const body of [both, ...neither])
        expectError(await service.send('PATCH', path, { ...ann, body }), 400, /either phoneNumber or requestToken/);
    });
  });

  it('is a 400 with texts out of bounds', async () => {
    for (const body of [
      { phoneNumber: '1'.repeat(201) },
      { phoneNumber: 5 },
      { requestToken: 'x'.repeat(1_001) },
      { phoneNumber: '\u0000' },
    ])
      expectError(await service.send('PATCH', path, { ...ann, body }), 400, /^body\/(?:phoneNumber|requestToken) must/);
  });

  it('is a 400 with a phoneNumber while the multi-factor flow is turned off', async () => {
    const without = await startWithPorts({ mfaPhoneUpdate: false });
    const headers = { 'X-Service-MFA-Token': 'x' };
    const answer = await without.send('PATCH', path, { ...ann, headers, body: { phoneNumber: phoneNumbers.wanted } });
    await without.stop();
    expectError(answer, 400, /not enabled/);
  });

  it('is open to a user whom no professional names', async () => {
    const nobody = { as: 'nobody' } as const;
    const issued = await service.send('POST', '/users/phone/codes', {
      ...nobody,
      body: { phoneNumber: phoneNumbers.other },
    });
    const code = service.delivered.at(-1)?.code;
    const verify = `/users/phone/codes/${textAt(issued.body, 'codeId')}/verify`;
    const { body } = await service.send('POST', verify, { ...nobody, body: { code } });
    const answer = await service.send('PATCH', path, {
      ...nobody,
      body: { requestToken: textAt(body, 'requestToken') },
    });
    expect(answer.status).to.equal(204);
  });

  describe('is told', () => {
    const mail = { channel: 'mail', address: 'ann.lee@example.com' };
    const sms = (phoneNumber: string) => ({ channel: 'sms', phoneNumber });
    /** Whom a change to a number is told, so many. */
    const toldOf = async (count: number, change: () => Promise<unknown>) => {
      const before = service.told.length;
      await change();
      await eventually('they are told', () => service.told.length >= before + count);
      return service.told.slice(before);
    };
    beforeEach(async () => {
      await withToken(await mfaToken(service), phoneNumbers.profile);
      service.clock.advance(24 * 60);
    });
    afterEach(() => {
      service.failing.delivery = false;
    });

    it('to the old number and by mail, by the legacy flow', async () => {
      const token = await requestToken(service, phoneNumbers.other);
      const told = await toldOf(2, () => service.send('PATCH', path, { ...ann, body: { requestToken: token } }));
      expect(told).to.have.deep.members([sms(phoneNumbers.profile), mail]);
    });

    it('to the old number and by mail, by the multi-factor flow, and once under an Idempotency-Key', async () => {
      const headers = { 'X-Service-MFA-Token': await mfaToken(service), 'Idempotency-Key': 'told-once' };
      const change = () => service.send('PATCH', path, { ...ann, headers, body: { phoneNumber: phoneNumbers.other } });
      expect(await toldOf(2, change)).to.have.deep.members([sms(phoneNumbers.profile), mail]);
      expect(await toldOf(0, change)).to.deep.equal([]);
    });

    it('in vain where the delivery fails, and stays changed', async () => {
      const token = await mfaToken(service);
      service.failing.delivery = true;
      expect((await withToken(token, phoneNumbers.other)).status).to.equal(204);
      expect(await shown()).to.equal(phoneNumbers.other);
      await eventually('the failure is counted', async () =>
        /phone_change_notices_total\{channel="sms",outcome="failed"\} 1/.test(
          await (await fetch(`${service.url}/metrics`)).text(),
        ),
      );
    });
  });

  it('is a 403 by the legacy flow while that is turned off', async () => {
    const without = await startWithPorts({ legacyPhoneUpdate: false });
    try {
      for (const [method, at, body] of [
        ['POST', '/users/phone/codes', { phoneNumber: phoneNumbers.wanted }],
        ['POST', '/users/phone/codes/a-code/verify', { code: '123456' }],
        ['PATCH', path, { requestToken: 'x' }],
      ] as const)
        expectError(await without.send(method, at, { ...ann, body }), 403, /SMS code alone is not enabled/);
    } finally {
      await without.stop();
    }
  });

  it('is recorded with the acting user and the time', async () => {
    const before = await service.head();
    await withToken(await mfaToken(service));
    const events = await service.app.eventStore.readAll(before, 100);
    const changed = events.filter(({ type }) => type === 'PhoneNumberChanged');
    expect(changed.map(({ metadata }) => metadata)).to.have.lengthOf(1);
    expect(changed[0]?.metadata).to.include({ actor: ids.user, recordedAt: service.clock.now().toISOString() });
    expect(service.clock.now().toISOString() > times.start).to.equal(true);
  });

  it('leaves no code and no token in the log', async () => {
    const answer = await service.send('POST', '/mfa/flows', { ...ann, body: { flow: 'phone_update_flow' } });
    const code = service.delivered.at(-1)?.code ?? '';
    const path = `/mfa/flows/${textAt(answer.body, 'flowId')}/challenges/otp_email`;
    const { body } = await service.send('POST', path, { ...ann, body: { code } });
    const log = JSON.stringify((await service.app.eventStore.readAll('0', 10_000)).map(({ data }) => data));
    expect(log).not.to.include(`"${code}"`);
    expect(log).not.to.include(textAt(body, 'token'));
  });
});
