import { Type } from '../../src/schema/typebox.ts';
import { internalKeyAccess } from '../../src/access/access.ts';
import { defineCommand } from '../../src/application/command.ts';
import { publishedEventTypes } from '../../src/domain/published.ts';
import { MAX_URL_LENGTH, requireWebhooks, webhooksDecider } from '../../src/streams/webhooks.ts';
import { conflict, invalidAt } from '../../src/errors/domain-error.ts';
import { isLoopbackHost } from '../../src/lib/ip-address.ts';
import { Identifier, list, object, text, Timestamp } from '../../src/schema/schema.ts';

/** Each has a reader of the event log. */
const MAX_SUBSCRIPTIONS = 20;

/** Reads the URL of a receiver. @throws DomainError invalid for one that nothing is sent to */
const parseReceiverUrl = (urlText: string, isLoopbackAllowed: boolean): URL => {
  const place = 'body/url';
  if (!URL.canParse(urlText)) throw invalidAt(place, 'must be a URL');
  const url = new URL(urlText);
  const isDemo = isLoopbackAllowed && url.protocol === 'http:' && isLoopbackHost(url.hostname);
  if (url.protocol !== 'https:' && !isDemo) throw invalidAt(place, 'must be an https URL');
  if (url.username !== '' || url.password !== '') throw invalidAt(place, 'must not hold a user or a password');
  if (url.href.includes('#')) throw invalidAt(place, 'must not have a fragment');
  if (url.href.length > MAX_URL_LENGTH)
    throw invalidAt(place, `must have at most ${MAX_URL_LENGTH} characters, percent-encoded`);
  return url;
};

/** Subscribes an application to events; the signing secret is in this answer and in that of a rotation alone. */
export const subscribeWebhook = defineCommand(webhooksDecider)({
  name: 'subscribeWebhook',
  summary: 'Have events sent to a URL as they happen',
  method: 'POST',
  path: '/internal/webhooks',
  access: internalKeyAccess,
  params: object({}),
  body: object({
    url: text(MAX_URL_LENGTH, {
      minLength: 1,
      description: 'An https URL at a public address. Its query counts as a secret: it is not shown again.',
    }),
    types: Type.Array(Type.Enum([...publishedEventTypes], { title: 'PublishedType' }), {
      minItems: 1,
      maxItems: publishedEventTypes.length,
      uniqueItems: true,
      description: 'The types of events that are sent.',
    }),
  }),
  prepare({ principal: keyName, body: { url, types } }, { ports, now }) {
    const { secrets, isLoopbackAllowed } = requireWebhooks(ports);
    const receiver = parseReceiverUrl(url, isLoopbackAllowed);
    const webhookId = ports.ids.uuid();
    const { search } = receiver;
    receiver.search = '';
    return {
      id: keyName,
      webhookId,
      url: receiver.href,
      sealedQuery: search === '' ? null : secrets.seal(webhookId, search),
      types,
      now,
    };
  },
  decide(state, { id: keyName, webhookId, url, sealedQuery, types }) {
    if (state.size >= MAX_SUBSCRIPTIONS)
      throw conflict(`The API key has ${MAX_SUBSCRIPTIONS} webhooks already, which is as many as it may have`);
    return [{ type: 'WebhookSubscribed', data: { keyName, webhookId, url, sealedQuery, types } }];
  },
  outcome: (_state, { webhookId, url, types, now }) => ({ id: webhookId, url, types, createdAt: now }),
  responses: {
    201: object(
      {
        id: Identifier,
        url: Type.String({ description: 'Without its query.' }),
        types: list(Type.String()),
        createdAt: Timestamp,
        secret: Type.String({ description: 'The signing secret, in the form of Standard Webhooks.' }),
      },
      { title: 'NewWebhook' },
    ),
  },
  refusals: ['conflict'],
  respond: (result, ports) => ({
    status: 201,
    body: { ...result, secret: requireWebhooks(ports).secrets.signingSecret(result.id, 0) },
  }),
});
