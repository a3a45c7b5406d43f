import { expect } from 'chai';
import { bodies, ids } from '../support/examples.ts';
import { eventually } from '../support/eventually.ts';
import { startService, type Service } from '../support/service.ts';
import { startReceiver, verify, type Receiver } from '../support/webhook-receiver.ts';

const webhooks = {
  networks: [],
  retries: { minMs: 10, maxMs: 50, giveUpMs: 3 * 86_400_000 },
};

interface NewWebhook {
  readonly id: string;
  readonly url: string;
  readonly secret: string;
}

describe('a webhook', () => {
  let service: Service;
  let receiver: Receiver;
  beforeEach(async () => {
    [service, receiver] = [await startService({ webhooks }), await startReceiver()];
  });
  afterEach(async () => {
    await service.stop();
    await receiver.stop();
  });

  const subscribe = async (
    types: readonly string[] = ['OfficeRecorded', 'PostingRecorded', 'ProfessionalRecorded'],
    url = receiver.url,
  ): Promise<NewWebhook> => {
    const { status, body } = await service.send('POST', '/internal/webhooks', { body: { url, types } });
    expect(status, JSON.stringify(body)).to.equal(201);
    return body as NewWebhook;
  };
  const recordOffice = (officeName: string, id = ids.office) =>
    service.send('PUT', `/internal/offices/${id}`, { body: { ...bodies.office, officeName } });
  const names = () => receiver.acknowledged().map(({ data }) => data['officeName']);
  const untilReceived = (count: number) =>
    eventually(`${count} events are received`, () => receiver.acknowledged().length >= count);
  const read = async (path: string) => (await service.send('GET', path)).body as Record<string, unknown>;

  it('sends each event of its types, signed as Standard Webhooks say', async () => {
    const { secret, id } = await subscribe(['OfficeRecorded']);
    await recordOffice('Bright');
    await service.send('PUT', `/internal/postings/${ids.posting}`, { body: bodies.posting });
    await recordOffice('Brighter');
    await untilReceived(2);
    for (const each of receiver.received) verify(secret, each);
    const [first, second] = receiver.received;
    expect(first?.headers['webhook-id']).to.equal(first?.message.id);
    expect([first?.message.revision, second?.message.revision]).to.deep.equal([0, 1]);
    expect(names()).to.deep.equal(['Bright', 'Brighter']);
    await eventually('both deliveries are listed', async () => {
      const { data } = await read(`/internal/webhooks/${id}/deliveries`);
      return (
        (data as readonly { isDelivered: boolean }[]).filter(({ isDelivered }) => isDelivered).length === 2
      );
    });
  });
});
