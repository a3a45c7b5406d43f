import { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import helmet from 'helmet';
import type { Act, Step } from './context.ts';

const setSecurityHeaders = helmet({
  contentSecurityPolicy: {
    useDefaults: false,
    directives: { defaultSrc: ["'none'"], frameAncestors: ["'none'"] },
  },
});

/** helmet's headers never differ, so it is asked once. */
const securityHeaders = (): (readonly [string, string])[] => {
  const sample = new ServerResponse(new IncomingMessage(new Socket()));
  setSecurityHeaders(sample.req, sample, (error?: unknown) => {
    if (error instanceof Error) throw error;
  });
  return Object.entries(sample.getHeaders()).map(([name, value]) => [name, String(value)]);
};

/** Name and value of the headers that every answer has, unless it has another value for one: security, and `no-store`. */
export const commonHeaders: readonly (readonly [string, string])[] = [
  ...securityHeaders(),
  ['Cache-Control', 'no-store'],
];

/**
 * What a 304 has of them (RFC 9110, 15.4.5; RFC 6797, 7.1; decisions, What else is served). It has no body for the others
 * to protect, and is written faster without them.
 */
const NOT_MODIFIED: readonly string[] = [
  'cache-control',
  'strict-transport-security',
  'x-content-type-options',
];
const ofNotModified = commonHeaders.filter(([name]) => NOT_MODIFIED.includes(name.toLowerCase()));

const setCommonHeaders: Act = ({ res }) => {
  for (const [name, value] of res.statusCode === 304 ? ofNotModified : commonHeaders)
    if (!res.hasHeader(name)) res.setHeader(name, value);
};

/** The headers that do not depend on the operation, decided once the answer is there. */
export const commonHeadersStep =
  (isStopping: () => boolean): Step =>
  async (ctx, next) => {
    await next();
    setCommonHeaders(ctx);
    // The signal may have come while the request was under way.
    if (isStopping()) ctx.res.setHeader('Connection', 'close');
  };
