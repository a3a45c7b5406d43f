import { Type, type Static } from '../../src/schema/typebox.ts';
import { object } from '../../src/schema/schema.ts';

/** What the load process is asked for and answers; both cross a process boundary as JSON. */

const Headers = Type.Record(Type.String(), Type.String());

export const Request = object({
  method: Type.Enum(['GET', 'POST', 'PUT', 'PATCH']),
  path: Type.String(),
  headers: Headers,
  body: Type.Optional(Type.String()),
});
export type Request = Static<typeof Request>;

/** The same requests again and again; each connection begins at another one. */
const Repeated = object({ kind: Type.Enum(['repeated']), requests: Type.Array(Request, { minItems: 1 }) });

/**
 * Every pair of headers and a body once. The headers change with each request, so that neighbours are of different
 * users; `first` is where this load begins, and those before it are spent.
 */
const Once = object({
  kind: Type.Enum(['once']),
  method: Type.Enum(['POST', 'PUT']),
  path: Type.String(),
  headers: Type.Array(Headers, { minItems: 1 }),
  bodies: Type.Array(Type.String(), { minItems: 1 }),
  first: Type.Integer({ minimum: 0 }),
});
export type Once = Static<typeof Once>;

export const Source = Type.Union([Repeated, Once]);
export type Source = Static<typeof Source>;

export const LoadSpec = object({
  url: Type.String(),
  connections: Type.Integer({ minimum: 1 }),
  seconds: Type.Number({ minimum: 0.1 }),
  /** Taken in turns. */
  sources: Type.Array(Source, { minItems: 1 }),
  /** The status of every answer; left out: any 2xx. */
  status: Type.Optional(Type.Integer({ minimum: 200, maximum: 399 })),
  /** Requests a second, evenly spaced; left out: each connection sends the next request when it has its answer. */
  rate: Type.Optional(Type.Number({ minimum: 1 })),
  /** With a rate: also tell of each stretch of so many seconds. */
  windowSeconds: Type.Optional(Type.Number({ minimum: 1 })),
});
export type LoadSpec = Static<typeof LoadSpec>;

const latency = {
  requests: Type.Integer({ description: 'Answered as expected.' }),
  perSecond: Type.Number(),
  /** Milliseconds. */
  p50: Type.Number(),
  p99: Type.Number(),
};

export const LoadResult = object({
  ...latency,
  /** Of one answer on average, headers included; 0 where it was not counted. */
  bytes: Type.Number(),
  /** How many requests of each source were sent, answered or not. */
  sent: Type.Array(Type.Integer()),
  windows: Type.Array(object(latency)),
});
export type LoadResult = Static<typeof LoadResult>;
