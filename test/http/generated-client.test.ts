import { expect } from 'chai';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import openapiTS, { astToString } from 'openapi-typescript';
import { Type } from '../../src/schema/typebox.ts';
import { hiring } from '../../src/hiring/index.ts';
import { openApiOf } from '../../src/http/openapi.ts';
import { createValidator } from '../../src/schema/validation.ts';
import { complaintsOf } from '../support/compiler.ts';
import { apiKeys, claims } from '../support/examples.ts';
import { startService, tokenFor, type Service } from '../support/service.ts';
import { operationsOf } from './openapi-check.ts';
import { answeredWithLines, ofWebhooks, operations, type Operation } from './operations.ts';
import { putEverything } from './stories.ts';

const description: unknown = JSON.parse(JSON.stringify(openApiOf(hiring)));
const documented = operationsOf(description);

const follow: Operation = {
  name: 'followProjections',
  method: 'GET',
  path: '/admin/projections/events',
  as: 'admin',
  allow: 'HEAD, GET',
};
const all = [...operations, follow];

/** Examples whose subject does not exist, or cannot be changed so. */
const refused: Readonly<Record<string, number>> = {
  updatePhoneNumber: 403,
  verifyPhoneCode: 404,
  answerMfaChallenge: 404,
  rollBackProjection: 409,
  retryQuarantined: 409,
  skipQuarantined: 409,
  ...Object.fromEntries(ofWebhooks.map(({ name }) => [name, 403])),
};

/** A call of the generated client, as its user would write it. */
const callOf = ({ name, path, body, as }: Operation): string => {
  const found = documented.find(({ operation }) => operation['operationId'] === name);
  if (!found) throw new Error(`${name} is not documented`);
  const [plain = '', search = ''] = path.split('?');
  const segments = plain.split('/');
  const inPath = found.template
    .split('/')
    .flatMap((part, index) => (part.startsWith('{') ? [[part.slice(1, -1), segments[index]]] : []));
  const params = {
    ...(inPath.length > 0 ? { path: Object.fromEntries(inPath) as unknown } : {}),
    ...(search === '' ? {} : { query: Object.fromEntries(new URLSearchParams(search)) }),
  };
  const options = [
    `headers: headersOf(${JSON.stringify(as ?? 'internal')})`,
    ...(Object.keys(params).length > 0 ? [`params: ${JSON.stringify(params)}`] : []),
    ...(body ? [`body: ${JSON.stringify(body)}`] : []),
    ...([follow.name, ...answeredWithLines, 'makeReport'].includes(name) ? [`parseAs: 'stream'`] : []),
  ];
  return `  note('${name}', await client.${found.method}('${found.template}', { ${options.join(', ')} }));`;
};

/** A program that makes every call and gives the statuses of the answers. */
const program = `import createClient from 'openapi-fetch';
import type { paths } from './api.js';

export default async (baseUrl: string, headersOf: (who: string) => Record<string, string>) => {
  const client = createClient<paths>({ baseUrl });
  const statuses: Record<string, number> = {};
  const note = (name: string, { response }: { response: Response }) => {
    statuses[name] = response.status;
    // The stream of events does not end by itself.
    if (!response.bodyUsed) void response.body?.cancel();
  };
${all.map(callOf).join('\n')}
  return statuses;
};
`;

/** How a client would compile; what is emitted lies beside its source. */
const OPTIONS = [
  '--ignoreConfig --strict --exactOptionalPropertyTypes --noUncheckedIndexedAccess --skipLibCheck',
  '--module nodenext --target es2023 --lib es2023,dom,dom.iterable',
].flatMap((line) => line.split(' '));

const Statuses = Type.Record(Type.String(), Type.Integer());

describe('A client that openapi-typescript generates from the description', () => {
  // Compiling takes long.
  let service: Service;
  let directory: string;
  before(async () => {
    service = await startService();
    await putEverything(service);
    // Within the project, so that the client finds the package that it imports.
    directory = await mkdtemp(join(import.meta.dirname, 'client-'));
    await writeFile(join(directory, 'api.ts'), astToString(await openapiTS(JSON.stringify(description))));
    await writeFile(join(directory, 'calls.ts'), program);
  });
  after(async () => {
    await service.stop();
    await rm(directory, { recursive: true });
  });

  it('has a call for every operation', () => {
    const names = documented.map(({ operation }) => operation['operationId']);
    expect(all.map(({ name }) => name).sort()).to.deep.equal(names.sort());
  });

  it('compiles, and each call is answered as it should be', async () => {
    expect(complaintsOf([...OPTIONS, join(directory, 'calls.ts')])).to.deep.equal([]);
    const tokens = new Map<string, string>();
    for (const [who, given] of Object.entries(claims)) tokens.set(who, await tokenFor(given));
    const headersOf = (who: string): Record<string, string> =>
      who === 'internal'
        ? { 'X-API-Key': apiKeys.internal }
        : { 'X-API-Key': apiKeys.client, Authorization: `Bearer ${tokens.get(who) ?? ''}` };

    const { default: callAll } = (await import(pathToFileURL(join(directory, 'calls.js')).href)) as {
      default: (url: string, headers: typeof headersOf) => Promise<unknown>;
    };
    const found = createValidator(Statuses, 'statuses')(await callAll(service.url, headersOf));

    if (!found.ok) throw new Error(found.message);
    const unexpected = all.filter(({ name }) => {
      const status = found.value[name] ?? 0;
      return refused[name] === undefined ? status < 200 || status > 299 : status !== refused[name];
    });
    expect(unexpected.map(({ name }) => `${name} ${found.value[name] ?? 'was not called'}`)).to.deep.equal([]);
  });
});
