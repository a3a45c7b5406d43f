import { request as httpRequest, type IncomingMessage } from 'node:http';
import { text } from 'node:stream/consumers';
import type { AppOptions } from '../../src/app/options.ts';
import type { Query } from '../../src/application/query.ts';
import { hiring } from '../../src/hiring/index.ts';
import type { Ports } from '../../src/ports/index.ts';
import { randomIdAndCodeGenerator } from '../../src/ports/id-and-code-generator.ts';
import { createCodeCrypto } from '../../src/ports/code-crypto.ts';
import type { Collection, ReadModels } from '../../src/read-models/port.ts';
import { apiKeys, claims, times } from '../support/examples.ts';
import { createClock, startService, tokenFor, untilReady, type Answer, type Service } from '../support/service.ts';
import { checkRules } from './answer-rules.ts';
import { openApiCheck } from './openapi-check.ts';

export interface BytesRequest {
  readonly as?: keyof typeof claims;
  /** undefined: by the path, internal or client; null: none. */
  readonly key?: string | null;
  readonly headers?: Readonly<Record<string, string | readonly string[]>>;
  readonly body?: string | Buffer;
}

export interface CheckedService extends Service {
  /** Sends what `fetch` would change or refuse: an unnormalized path, repeated headers, any bytes. */
  sendBytes(method: string, path: string, request?: BytesRequest): Promise<Answer>;
  /** Resolves once the read models have reached the head of the start. */
  ready(): Promise<void>;
  head(): Promise<string>;
}

/** The read models that a query names in `reads`: a Consistency-Token waits for no others. */
const readBy = ({ name, reads }: Query, readModels: ReadModels): ReadModels => {
  const named = new Set(reads.flatMap(({ collections }) => collections.map((collection) => collection.name)));
  const checked = <Doc extends object>(collection: Collection<Doc>): Collection<Doc> => {
    if (!named.has(collection.name))
      throw new Error(`${name} reads ${collection.name} of a projection that it does not name in reads`);
    return collection;
  };
  return {
    get: (collection, id) => readModels.get(checked(collection), id),
    find: (collection, find) => readModels.find(checked(collection), find),
    count: (collection, filter) => readModels.count(checked(collection), filter),
  };
};

const queries = hiring.queries.map((query): Query => ({
  ...query,
  find: (request, readModels) => query.find(request, readBy(query, readModels)),
}));

/** Starts the service; every answer of its `send` is checked against its OpenAPI description and the common rules. */
export const startCheckedService = async (more: Partial<AppOptions> = {}): Promise<CheckedService> => {
  const service = await startService({ domain: { ...hiring, queries }, ...more });
  const checkAnswer = await openApiCheck(service.url);
  const check = (method: string, path: string, answer: Answer): Answer => {
    checkRules(method, answer);
    checkAnswer(method, path, answer);
    return answer;
  };
  const send = service.send.bind(service);
  let newest = '';
  /** Keeps the newest token of all writes, also of `sendBytes`, for the reads after them. */
  const remember = (answer: Answer): Answer => {
    const token = answer.headers.get('Consistency-Token') ?? '';
    if (token > newest) newest = token;
    return answer;
  };
  return Object.assign(service, {
    async send(method: string, path: string, request: Parameters<Service['send']>[2] = {}) {
      const headers = method === 'GET' && newest !== '' ? { 'Consistency-Token': newest } : {};
      const answer = await send(method, path, { ...request, headers: { ...headers, ...request.headers } });
      return check(method, path, remember(answer));
    },
    async sendBytes(method: string, path: string, request: BytesRequest = {}) {
      return check(method, path, remember(await exchange(service.url, method, path, request)));
    },
    ready: () => untilReady(service.url),
    head: () => service.app.eventStore.head(),
  });
};

/** Starts the service with some of its ports replaced. */
export const startWithPorts = async (ports: Partial<Ports>): Promise<CheckedService> =>
  startCheckedService({
    ports: {
      clock: createClock(times.start).now,
      ids: randomIdAndCodeGenerator,
      secrets: createCodeCrypto('another secret of the tests, thirty-two bytes'),
      phoneChangeNotice: () => Promise.resolve(),
      mfaPhoneUpdate: true,
      legacyPhoneUpdate: true,
      smsCountries: [],
      codes: () => Promise.resolve(),
      ...ports,
    },
  });

/** The Authorization header of a user with any claims. */
export const bearer = async (payload: Readonly<Record<string, unknown>>): Promise<{ Authorization: string }> => ({
  Authorization: `Bearer ${await tokenFor(payload)}`,
});

const exchange = async (url: string, method: string, path: string, request: BytesRequest): Promise<Answer> => {
  const { as, key = apiKeys[path.startsWith('/internal/') ? 'internal' : 'client'], headers = {}, body } = request;
  const { hostname, port } = new URL(url);
  const given = {
    ...(key === null ? {} : { 'X-API-Key': key }),
    ...(as === undefined ? {} : await bearer(claims[as])),
    ...(body === undefined ? {} : { 'Content-Type': 'application/json' }),
    ...headers,
  };
  return new Promise((resolve, reject) => {
    const outgoing = httpRequest({ hostname, port, method, path, agent: false });
    for (const [name, value] of Object.entries(given)) outgoing.setHeader(name, value);
    outgoing.on('response', (response) => {
      toAnswer(response).then(resolve, reject);
    });
    outgoing.on('error', reject);
    outgoing.end(body);
  });
};

const toAnswer = async (response: IncomingMessage): Promise<Answer> => {
  const body = await text(response);
  const headers = new Headers();
  for (const [name, values] of Object.entries(response.headersDistinct))
    for (const value of values ?? []) headers.append(name, value);
  return { status: response.statusCode ?? 0, headers, body: body === '' ? undefined : (JSON.parse(body) as unknown) };
};
