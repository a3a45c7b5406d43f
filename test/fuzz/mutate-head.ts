import { chance, randomInteger, type Random } from '../../src/tools/seed/random.ts';
import type { Callers } from './callers.ts';
import { anyOf } from './draw.ts';
import { HOSTILE_TEXTS } from './hostile.ts';
import { withHeader, type FuzzRequest, type Pair } from './request.ts';

/** Values that headers may have by HTTP, and that programs stumble on. */
const VALUES: Readonly<Record<string, readonly string[]>> = {
  Accept: ['text/html', '*/*;q=0', 'application/json;q=0.0', 'application/*', ',', 'a/b,'.repeat(2_000)],
  'Accept-Encoding': ['gzip;q=0', '*;q=0', 'br', ','.repeat(5_000)],
  'Content-Type': [
    'text/plain',
    'application/xml',
    'application/x-www-form-urlencoded',
    'application/json; charset=utf-16',
    'application/json;charset=UTF-8',
    'application/json; charset="utf-8',
    'application/merge-patch+json',
    'multipart/form-data',
    '',
  ],
  'Idempotency-Key': ['', 'a b', 'é', 'x'.repeat(255), 'x'.repeat(256), '__proto__'],
  'Consistency-Token': ['none', '', '0', '-1', "1' OR 1=1", '/'.repeat(64), '0'.repeat(65), 'x'.repeat(3_000)],
  'If-None-Match': ['*', '"', 'W/"x"', '"x", *', ','.repeat(3_000)],
  'If-Match': ['"x"'],
  'If-Modified-Since': ['Sat, 01 Jan 2050 00:00:00 GMT'],
  'Personal-Data-Reason': ['', 'why', '%zz', '%F0%9F%98%80', 'x'.repeat(600)],
  Range: ['bytes=0-1', 'bytes=-1'],
  'X-Request-Id': ['', '+15125550123', '5125550123', '../../etc', 'x'.repeat(65), '${jndi:ldap://a}'],
  'X-Service-MFA-Token': ['', '.', 'x.y', 'x'.repeat(5_000)],
  'X-HTTP-Method-Override': ['DELETE'],
  'X-Forwarded-For': ['127.0.0.1', '10.0.0.1, x', ','.repeat(2_000)],
  Origin: ['null', 'https://evil.example'],
  Cookie: ['a=b; '.repeat(500)],
  Expect: ['100-continue', '100-Continue', '200-maybe'],
  Host: ['', 'a b', '[::1', 'x'.repeat(3_000)],
  'X-Large': ['x'.repeat(15_000), 'x'.repeat(17_000)],
};

type Mutation = (request: FuzzRequest, random: Random, callers: Callers) => FuzzRequest;
const CREDENTIALS = ['x-api-key', 'authorization'];

const withCredentials = (request: FuzzRequest, credentials: readonly Pair[]): FuzzRequest => ({
  ...request,
  headers: [...request.headers.filter(([name]) => !CREDENTIALS.includes(name.toLowerCase())), ...credentials],
});

const ofHeaders: readonly Mutation[] = [
  (request, random) => {
    const name = anyOf(random, Object.keys(VALUES));
    return withHeader(request, name, anyOf(random, VALUES[name] ?? HOSTILE_TEXTS));
  },
  (request, random) => withHeader(request, anyOf(random, Object.keys(VALUES)), anyOf(random, HOSTILE_TEXTS)),
  (request, random, callers) => withCredentials(request, anyOf(random, callers.wrong)),
  (request, random, callers) =>
    withCredentials(
      request,
      anyOf(random, [callers.admin, callers.analyst, callers.nobody, callers.internal, callers.office('office-0')]),
    ),
  (request, random) => {
    const headers = [...request.headers, ['Host', 'localhost'] as const];
    return { ...request, headers: [...headers, anyOf(random, headers)] };
  },
  (request, random) => {
    const many = Array.from({ length: randomInteger(random, 900, 1_100) }, (): Pair => ['a', '']);
    return { ...request, headers: [...request.headers, ...many] };
  },
];

const PAGES = ['0', '-1', '1.0', '1e3', '+1', ' 1', '', 'NaN', '101', '2147483648', '99999999999999999999', '1_0'];

const ofQuery: readonly Mutation[] = [
  (request, random) => ({
    ...request,
    query: [...request.query, [anyOf(random, ['page', 'pageSize']), anyOf(random, PAGES)]],
  }),
  (request, random) => ({
    ...request,
    query: request.query.map(([name, value]) => [name, chance(random, 0.5) ? anyOf(random, HOSTILE_TEXTS) : value]),
  }),
  (request, random) => ({
    ...request,
    query: [
      ...request.query,
      [
        anyOf(random, ['status', 'name', 'orderBy', 'sortBy', 'sortOrder', 'category', 'status[]', '__proto__']),
        anyOf(random, HOSTILE_TEXTS),
      ],
    ],
  }),
  (request) => ({ ...request, query: [...request.query, ...request.query] }),
  (request) => ({ ...request, query: [...request.query, ['x', 'y'.repeat(9_000)]] }),
  (request, random) => ({
    ...request,
    path: `${request.path}?${anyOf(random, ['%', '%zz', '%ff', '&&&', '=', 'page', 'page=%31', 'page[]=1', '?', 'a&'.repeat(2_000)])}`,
  }),
];

const wildPath =
  (change: (path: string, random: Random) => string): Mutation =>
  (request, random) => ({ ...request, path: change(request.path, random), isWild: true });

/** A segment, by any of a path's. */
const atSegment = (path: string, random: Random, change: (segment: string) => string): string => {
  const segments = path.split('/');
  const place = randomInteger(random, 1, segments.length - 1);
  return segments.map((segment, index) => (index === place ? change(segment) : segment)).join('/');
};

const ofPath: readonly Mutation[] = [
  wildPath((path, random) =>
    atSegment(path, random, () => encodeURIComponent(anyOf(random, HOSTILE_TEXTS).replaceAll(/\p{Cs}/gu, ''))),
  ),
  wildPath((path, random) =>
    atSegment(path, random, () => anyOf(random, ['%ff', '%', '%zz', '%00', '%2F', '.', '..', ';', ''])),
  ),
  wildPath((path, random) =>
    atSegment(path, random, (segment) => `%${(segment.charCodeAt(0) || 65).toString(16)}${segment.slice(1)}`),
  ),
  wildPath((path, random) => atSegment(path, random, (segment) => segment.toUpperCase())),
  wildPath((path, random) => atSegment(path, random, (segment) => `${segment}/..`)),
  wildPath(
    (path, random) => path + anyOf(random, ['/', '//', '/x', '%00', '%20', '#x', ';a=b', '.json', '/.', '/%2e']),
  ),
  wildPath((path, random) => anyOf(random, ['/', '', '//', '/.', '/v1']) + path),
  wildPath(
    (path, random) =>
      `${anyOf(random, ['http://localhost', 'http://a b', 'https://x:99999', 'file://', 'http:'])}${path}`,
  ),
  wildPath((path) => `${path}${'/x'.repeat(4_500)}`),
  (request, random) => ({
    ...request,
    method: anyOf(random, ['HEAD', 'OPTIONS', 'DELETE', 'TRACE', 'PATCH', 'PUT', 'POST', 'GET', 'PROPFIND', 'SEARCH']),
    isWild: true,
  }),
];

/** With its headers, query, path or method changed. */
export const mutateHead = (request: FuzzRequest, random: Random, callers: Callers): FuzzRequest => {
  const mutation = anyOf(random, anyOf(random, [ofHeaders, ofHeaders, ofQuery, ofPath]));
  return mutation(request, random, callers);
};
