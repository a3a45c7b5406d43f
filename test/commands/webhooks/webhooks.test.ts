import { expect } from 'chai';
import { includePersonalData } from '../../../commands/webhooks/include-personal-data.ts';
import { replayWebhook } from '../../../commands/webhooks/replay-webhook.ts';
import { rotateWebhookSecret } from '../../../commands/webhooks/rotate-webhook-secret.ts';
import { subscribeWebhook } from '../../../commands/webhooks/subscribe-webhook.ts';
import { unsubscribeWebhook } from '../../../commands/webhooks/unsubscribe-webhook.ts';
import { publishedEventTypes } from '../../../src/domain/published.ts';
import { webhooksDecider } from '../../../src/streams/webhooks.ts';
import { ids, times } from '../../support/examples.ts';
import { START_POSITION } from '../../../src/event-store/port.ts';
import { eventually } from '../../support/eventually.ts';
import { on, storeWith } from '../../support/facts.ts';
import { given, noContent } from '../../support/given.ts';
import { handlerOn, send, webhookSecrets } from '../../support/sending.ts';

const keyName = 'back-office';
const toKey = on(webhooksDecider, keyName);
const receiver = { url: 'https://hooks.example.com/hiring', types: ['OfficeRecorded'] };
const subscribedAs = (webhookId: string) =>
  toKey({ type: 'WebhookSubscribed', data: { keyName, webhookId, ...receiver, sealedQuery: null } });
const subscribed = subscribedAs('minted-1');
const webhook = { params: { id: 'minted-1' } };
const unknown = { params: { id: 'minted-2' } };
const NOT_FOUND = ['not-found', 'No webhook of the API key has the id in path/id'] as const;

describe('subscribeWebhook', () => {
  it('subscribes a URL, and answers with the signing secret', () =>
    given()
      .when(subscribeWebhook, { body: receiver })
      .then([subscribed], {
        status: 201,
        body: {
          id: 'minted-1',
          ...receiver,
          createdAt: times.now,
          secret: webhookSecrets.signingSecret('minted-1', 0),
        },
      }));

  it('refuses more webhooks than a key may have', () =>
    given(...Array.from({ length: 20 }, (_, index) => subscribedAs(`webhook-${index}`)))
      .when(subscribeWebhook, { body: receiver })
      .thenRefused('conflict', 'The API key has 20 webhooks already, which is as many as it may have'));

  for (const [url, fault] of [
    ['hooks.example.com', 'must be a URL'],
    ['http://hooks.example.com/', 'must be an https URL'],
    ['http://127.0.0.1/', 'must be an https URL'],
    ['ftp://hooks.example.com/', 'must be an https URL'],
    ['file:///etc/passwd', 'must be an https URL'],
    ['https://user:password@hooks.example.com/', 'must not hold a user or a password'],
    ['https://hooks.example.com/#here', 'must not have a fragment'],
    ['https://hooks.example.com/#', 'must not have a fragment'],
    // As it is sent, each of these has nine characters.
    [`https://hooks.example.com/${'日'.repeat(300)}`, 'must have at most 2000 characters, percent-encoded'],
    [`https://hooks.example.com/?${'日'.repeat(300)}`, 'must have at most 2000 characters, percent-encoded'],
  ] as const)
    it(`refuses ${url.slice(0, 50)}`, () =>
      given()
        .when(subscribeWebhook, { body: { ...receiver, url } })
        .thenRefused('invalid', `body/url ${fault}`));

  for (const type of ['CodeIssued', 'NoticeRequested', 'OperatorActed', 'WebhookSubscribed'])
    it(`does not send ${type}`, () =>
      given()
        .when(subscribeWebhook, { body: { ...receiver, types: [type] } })
        .thenRefused('invalid', `body/types/0 must be one of ${publishedEventTypes.join(', ')}`));
});

describe('rotateWebhookSecret', () => {
  it('replaces the secret, and says how long the one before is valid', () =>
    given(subscribed)
      .when(rotateWebhookSecret, webhook)
      .then([toKey({ type: 'WebhookSecretRotated', data: { keyName, webhookId: 'minted-1', generation: 1 } })], {
        status: 200,
        body: {
          id: 'minted-1',
          secret: webhookSecrets.signingSecret('minted-1', 1),
          previousSecretValidUntil: '2026-03-03T09:05:00.000Z',
        },
      }));

  it('refuses a webhook that the key does not have', () =>
    given(subscribed)
      .when(rotateWebhookSecret, unknown)
      .thenRefused(...NOT_FOUND));
});

describe('replayWebhook', () => {
  for (const after of ['0', '0000000000000042', null])
    it(`has events sent again after ${after ?? 'no position'}`, () =>
      given(subscribed)
        .when(replayWebhook, { ...webhook, body: { after } })
        .then([toKey({ type: 'WebhookReplayRequested', data: { keyName, webhookId: 'minted-1', after } })], noContent));

  it('refuses a webhook that the key does not have', () =>
    given(subscribed)
      .when(replayWebhook, unknown)
      .thenRefused(...NOT_FOUND));
});

describe('unsubscribeWebhook', () => {
  const deleted = toKey({ type: 'WebhookUnsubscribed', data: { keyName, webhookId: 'minted-1' } });

  it('deletes a webhook', () => given(subscribed).when(unsubscribeWebhook, webhook).then([deleted], noContent));

  it('refuses one that was deleted', () =>
    given(subscribed, deleted)
      .when(unsubscribeWebhook, webhook)
      .thenRefused(...NOT_FOUND));
});

describe('includePersonalData', () => {
  const request = { as: 'admin', params: { key: keyName, id: 'minted-1' }, body: { included: true } } as const;
  const set = toKey({ type: 'WebhookPersonalDataSet', data: { keyName, webhookId: 'minted-1', isIncluded: true } });

  it('records who does it before and after it is done', async () => {
    const store = await storeWith([subscribed]);
    await send(handlerOn(store), includePersonalData, request);
    const types = async () =>
      (await store.readAll(START_POSITION, 10)).slice(1).map(({ type, data }) => [type, data['phase']]);
    await eventually('the end is recorded', async () => (await types()).length === 3);
    expect(await types()).to.deep.equal([
      ['OperatorActed', 'requested'],
      ['WebhookPersonalDataSet', undefined],
      ['OperatorActed', 'completed'],
    ]);
  });

  it('appends nothing where they are included already', () =>
    given(subscribed, set).when(includePersonalData, request).thenNothing());

  it('refuses a webhook that the key does not have, and records nothing', () =>
    given()
      .when(includePersonalData, { ...request, params: { key: ids.office, id: 'minted-1' } })
      .thenRefused(...NOT_FOUND));
});
