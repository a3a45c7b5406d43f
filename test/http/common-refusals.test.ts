import { expect } from 'chai';
import { historyReadModels } from '../../src/history/moment/history-read-models.ts';
import { expectError } from './answer-rules.ts';
import { startCheckedService, type CheckedService } from './checked-service.ts';
import { acts, answeredWithLines, operations, requestOf, writes } from './operations.ts';
import { putEverything, unchanged } from './stories.ts';

const NO_ACCEPT = ['text/html', 'application/json;q=0', 'text/html, application/json;q=0, */*;q=0.5', '*/*;q=0'];
const NO_IDENTIFIERS = [
  '%20',
  '%00',
  'a%2Fb',
  'a%3Ab',
  '%F0%9F%98%80',
  '%',
  '%zz',
  '..',
  '.',
  '%2e%2e',
  'x'.repeat(129),
];
const NO_OBJECTS = ['null', '[]', '1', '"a"', 'true', '[{}]'];
const NO_JSON = [
  '{',
  '{}}',
  "{'a':1}",
  '{"a":1,}',
  'undefined',
  '\ufeff',
  '\ufeff\ufeff{}',
  '{"a":01}',
  ' ',
  '{"a":"\n"}',
  '{"a":NaN}',
];
const NO_JSON_TYPES = [
  'text/plain',
  'application/x-www-form-urlencoded',
  'multipart/form-data; boundary=x',
  'json',
  'application/jsonp',
  ' ',
];
const NO_UTF8 = ['latin1', 'utf-16', 'utf-7', 'x'];
const NO_KEYS = ['', 'a b', 'x'.repeat(256), 'é'];
/** Path segments with a hyphen that are no identifiers. */
const FIXED = [
  'professional-onboarding',
  'job-notification-settings',
  'read-models',
  ...historyReadModels.map(({ name }) => name),
  'personal-data',
];
/** Allows whatever the answer is, lines of JSON too. */
const ANYTHING = /\*\/\*;q=0\.[1-9]/;
const identifiersIn = (path: string) =>
  [...path.matchAll(/(?<=\/)[a-z0-9]+(?:-[a-z0-9]+)+(?=[/?]|$)/g)]
    .map(([id]) => id)
    .filter((id) => !FIXED.includes(id));

/** Whether an Accept excludes what an operation answers with. */
const isRefusing = (name: string, accept: string): boolean => {
  if (name === 'makeReport') return !/text\/html|text\/\*/.test(accept) && !ANYTHING.test(accept);
  return !answeredWithLines.includes(name) || !ANYTHING.test(accept);
};

/** Each request is valid but for one fault, so that the test knows what the service would do without that fault. */
describe('Whatever the operation', () => {
  let service: CheckedService;

  before(async () => {
    service = await startCheckedService();
    await putEverything(service);
  });
  after(() => service.stop());

  for (const operation of operations) {
    const { name, method, path, allow } = operation;
    const request = requestOf(operation);

    describe(`${name} refuses`, () => {
      for (const other of ['DELETE', 'PROPFIND'].filter((each) => !allow.split(', ').includes(each)))
        it(`the method ${other} with a 405 that names the others`, () =>
          unchanged(service, async () => {
            const answer = await service.sendBytes(other, path);
            expectError(answer, 405, /method/);
            expect(answer.headers.get('Allow')?.split(', ')).to.have.members(allow.split(', '));
          }));

      for (const accept of NO_ACCEPT.filter((each) => isRefusing(name, each)))
        it(`Accept: ${accept} with a 406`, () =>
          unchanged(service, async () => {
            expectError(await service.send(method, path, { ...request, headers: { Accept: accept } }), 406, /Accept/);
          }));

      // The id of a row may hold a slash.
      for (const identifier of name === 'explainReadModelRow' ? [] : identifiersIn(path))
        it(`what is no identifier in the place of ${identifier} with a 400`, () =>
          unchanged(service, async () => {
            // An empty identifier at the end of a path is a missing one.
            for (const id of path.endsWith(identifier) ? NO_IDENTIFIERS : [...NO_IDENTIFIERS, '']) {
              const answer = await service.sendBytes(method, path.replace(identifier, id), {
                ...(operation.as ? { as: operation.as } : {}),
                ...(operation.body ? { body: JSON.stringify(operation.body) } : {}),
              });
              expectError(answer, 400, /^path\/\w+ must be 1 to 128 characters/);
            }
          }));
    });
  }

  for (const operation of [...writes, ...acts]) {
    const { name, method, path, body = {} } = operation;
    const send = (changed: unknown, headers: Readonly<Record<string, string>> = {}) =>
      service.send(method, path, { ...requestOf(operation), body: changed, headers });
    const refusesEach = <T>(what: string, cases: readonly T[], refuse: (one: T) => Promise<void>) =>
      it(what, () =>
        unchanged(service, async () => {
          for (const one of cases) await refuse(one);
        }),
      );

    describe(`${name} refuses a body`, () => {
      refusesEach('with an unknown member: 400', ['another', 'constructor', ''], async (member) => {
        expectError(
          await send({ ...body, [member]: 1 }),
          400,
          new RegExp(`^body must not have the member '${member}'$`),
        );
      });
      refusesEach('with __proto__: 400', ['{"__proto__":{}}', '{"__proto__":1}'], async (text) => {
        expectError(await send(text), 400, /member '__proto__'$|is required$/);
      });
      refusesEach('that is no object: 400', NO_OBJECTS, async (other) => {
        expectError(await send(other), 400, /^body must be an object$/);
      });
      refusesEach('that is no JSON: 400', NO_JSON, async (other) => {
        expectError(await send(other), 400, /^body must be valid JSON$/);
      });
      refusesEach('of another media type: 415', NO_JSON_TYPES, async (type) => {
        const answer = await send(JSON.stringify(body), { 'Content-Type': type });
        expectError(answer, 415, /Content-Type/);
        expect(answer.headers.get('Accept-Patch')).to.equal(method === 'PATCH' ? 'application/json' : null);
      });
      refusesEach('of another charset: 415', NO_UTF8, async (charset) => {
        const headers = { 'Content-Type': `application/json; charset=${charset}` };
        expectError(await send(JSON.stringify(body), headers), 415, /charset/);
      });
      refusesEach('over 100 KiB: 413', [102_401], async (length) => {
        expectError(await send(JSON.stringify(body).padEnd(length)), 413, /100 KiB/);
      });
      if (writes.includes(operation))
        refusesEach('with a malformed Idempotency-Key: 400', NO_KEYS, async (key) => {
          expectError(await send(body, { 'Idempotency-Key': key }), 400, /Idempotency-Key/);
        });
      refusesEach('of which a member has a wrong type: 400', Object.keys(body), async (member) => {
        for (const value of [[[]], { another: 1 }])
          expectError(await send({ ...body, [member]: value }), 400, new RegExp(`^body/${member}`));
      });
    });
  }
});
