import { isObject } from '../../src/schema/json.ts';

/** The name and value of a header or a query parameter. */
export type Pair = readonly [name: string, value: string];

/** A request of a plan, with places for what only the service can make: ids of codes, codes, tokens, ETags. */
export interface FuzzRequest {
  /** The operationId of the operation that it calls, or called before it was mutated. */
  readonly operation: string;
  readonly method: string;
  /** As sent, without `query`. */
  readonly path: string;
  /** Percent-encoded when it is sent. */
  readonly query: readonly Pair[];
  readonly headers: readonly Pair[];
  /** The value of the body, as `jsonText` writes it; undefined: none. */
  readonly json?: unknown;
  /** Sent instead of the text of `json`. */
  readonly bytes?: Buffer;
  /** Whether method or path were mutated, so that the description cannot tell which operation is meant. */
  readonly isWild?: true;
  /** Under which key to keep the texts that the answer has, and the code that was sent to somebody meanwhile. */
  readonly keeps?: { readonly key: string; readonly codeTo?: string };
}

/** What a plan does next. */
export type Turn =
  | { readonly kind: 'requests'; readonly requests: readonly FuzzRequest[]; readonly isTogether: boolean }
  /** The same request twice under one Idempotency-Key: the second is answered as the first. */
  | { readonly kind: 'repeated'; readonly request: FuzzRequest }
  /** Bytes that may be no HTTP; the client leaves when no answer has come in time. */
  | { readonly kind: 'bytes'; readonly bytes: Buffer; readonly patienceMs: number }
  | { readonly kind: 'clock'; readonly minutes: number }
  | { readonly kind: 'delivery'; readonly isFailing: boolean };

const RAW = '@@raw ';
/** A value that is written as it is into a body's text: what no JSON value can hold. */
export const rawJson = (text: string): string => RAW + text;

/** JSON text, with what `rawJson` has marked. */
export const jsonText = (value: unknown): string =>
  JSON.stringify(value).replaceAll(/"@@raw ((?:[^"\\]|\\.)*)"/g, (_, text: string) => String(JSON.parse(`"${text}"`)));

/** With a header in place of all others of its name. */
export const withHeader = (request: FuzzRequest, name: string, value: string): FuzzRequest => ({
  ...request,
  headers: [...request.headers.filter(([given]) => given.toLowerCase() !== name.toLowerCase()), [name, value]],
});

/** With some members of its body replaced. */
export const withMembers = (request: FuzzRequest, members: object): FuzzRequest => ({
  ...request,
  json: { ...(isObject(request.json) ? request.json : {}), ...members },
});

/** Path and query as they are sent. */
export const targetOf = ({ path, query }: FuzzRequest): string =>
  query.length === 0 ? path : `${path}${path.includes('?') ? '&' : '?'}${encodedQuery(query)}`;

const encodedQuery = (query: readonly Pair[]): string =>
  // encodeURIComponent throws for half of a surrogate pair.
  query
    .map((pair) => pair.map((text) => encodeURIComponent(text.replaceAll(/\p{Cs}/gu, '\ufffd'))).join('='))
    .join('&');

/** The bytes of the body; undefined without one. */
export const bodyOf = ({ json, bytes }: FuzzRequest): Buffer | undefined =>
  bytes ?? (json === undefined ? undefined : Buffer.from(jsonText(json)));

/** Name and values as HTTP/1.1 sends them, with the length of the body where no header tells it. */
export const headersOf = (request: FuzzRequest): readonly Pair[] => {
  const has = (name: string) => request.headers.some(([given]) => given.toLowerCase() === name);
  const body = bodyOf(request);
  return [
    ...(has('host') ? [] : [['Host', 'localhost'] as const]),
    ...request.headers,
    ...(body && !has('content-type') ? [['Content-Type', 'application/json'] as const] : []),
    ...(body && !has('transfer-encoding') ? [['Content-Length', String(body.length)] as const] : []),
  ];
};

/** The whole request as text, each character a byte. */
export const rawText = (request: FuzzRequest): string => {
  const lines = headersOf(request).map(([name, value]) => `${name}: ${value}\r\n`);
  const body = bodyOf(request)?.toString('latin1') ?? '';
  return `${request.method} ${targetOf(request)} HTTP/1.1\r\n${lines.join('')}\r\n${body}`;
};
