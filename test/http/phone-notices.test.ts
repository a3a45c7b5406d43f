import { expect } from 'chai';
import { phoneNumbers } from '../support/examples.ts';
import { eventually } from '../support/eventually.ts';
import { startCheckedService, type CheckedService } from './checked-service.ts';
import { mfaToken, putProfessional, requestToken } from './stories.ts';

const ann = { as: 'professional' } as const;
const DAY_MINUTES = 24 * 60;

/** Notices of a changed phone number (decisions, Notices). */
describe('Notices of a changed phone number', () => {
  let service: CheckedService;
  beforeEach(async () => {
    service = await startCheckedService();
    await putProfessional(service);
    service.clock.advance(DAY_MINUTES);
  });
  afterEach(() => service.stop());

  const changeByMail = async (phoneNumber: string): Promise<void> => {
    const headers = { 'X-Service-MFA-Token': await mfaToken(service) };
    const answer = await service.send('PATCH', '/users/phone', { ...ann, headers, body: { phoneNumber } });
    expect(answer.status).to.equal(204);
  };
  const changeByCode = async (phoneNumber: string): Promise<void> => {
    const token = await requestToken(service, phoneNumber);
    const answer = await service.send('PATCH', '/users/phone', { ...ann, body: { requestToken: token } });
    expect(answer.status).to.equal(204);
  };
  const textsTo = (number: string) =>
    service.told.filter((to) => to.channel === 'sms' && to.phoneNumber === number).length;
  const outcome = async (name: string): Promise<number> => {
    const text = await (await fetch(`${service.url}/metrics`)).text();
    return Number(new RegExp(`^phone_change_notices_total\\{${name}\\} (\\d+)$`, 'm').exec(text)?.[1] ?? 0);
  };
  const noticesAreOver = (changes: number) =>
    eventually(
      'each change has had its notice by mail',
      async () =>
        (await outcome('channel="mail",outcome="delivered"')) +
          (await outcome('channel="mail",outcome="rate_limited"')) ===
        changes,
    );

  it('do not go to a number that no code proved, before it has stood for a day', async () => {
    await changeByMail(phoneNumbers.other);
    service.clock.advance(DAY_MINUTES - 1);
    await changeByMail(phoneNumbers.wanted);
    await noticesAreOver(2);
    expect(textsTo(phoneNumbers.other)).to.equal(0);
  });

  it('go to such a number once it has stood for a day', async () => {
    await changeByMail(phoneNumbers.other);
    service.clock.advance(DAY_MINUTES);
    await changeByMail(phoneNumbers.wanted);
    await noticesAreOver(2);
    expect(textsTo(phoneNumbers.other)).to.equal(1);
  });

  it('go at once to a number that a code proved', async () => {
    await changeByCode(phoneNumbers.other);
    await changeByMail(phoneNumbers.wanted);
    await noticesAreOver(2);
    expect(textsTo(phoneNumbers.other)).to.equal(1);
  });

  it('are three an hour for a user, whatever codes were sent, and a metric counts those beyond', async () => {
    // Given a user who changes the number five times in an hour, between two that codes have proved
    for (const number of [phoneNumbers.other, phoneNumbers.wanted]) await changeByCode(number);
    for (const number of [phoneNumbers.other, phoneNumbers.wanted, phoneNumbers.other]) await changeByMail(number);
    await noticesAreOver(5);
    // Then three of the changes were told
    expect(service.told.filter(({ channel }) => channel === 'mail')).to.have.length(3);
    expect(await outcome('channel="sms",outcome="rate_limited"')).to.equal(2);
    // And an hour later the next one is
    service.clock.advance(61);
    await changeByMail(phoneNumbers.wanted);
    await noticesAreOver(6);
    expect(service.told.filter(({ channel }) => channel === 'mail')).to.have.length(4);
  });
});
