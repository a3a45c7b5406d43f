import { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import helmet from 'helmet';
import type { Act, Middleware } from './context.ts';

const setSecurityHeaders = helmet({
  contentSecurityPolicy: {
    useDefaults: false,
    directives: { defaultSrc: ["'none'"], frameAncestors: ["'none'"] },
  },
});

/** helmet's headers never differ, so they are computed once. */
const securityHeaders = (): (readonly [string, string])[] => {
  const sample = new ServerResponse(new IncomingMessage(new Socket()));
  setSecurityHeaders(sample.req, sample, (error?: unknown) => {
    if (error instanceof Error) throw error;
  });
  return Object.entries(sample.getHeaders()).map(([name, value]) => [name, String(value)]);
};

/** Defaults for every answer. */
export const commonHeaders: readonly (readonly [string, string])[] = [
  ...securityHeaders(),
  ['Cache-Control', 'no-store'],
];

/**
 * Those of answers without a body (RFC 9110, 15.4.5; RFC 6797, 7.1; decisions, What else is served). The other headers
 * protect a body, and take time to write.
 */
const WITHOUT_BODY: readonly string[] = [
  'cache-control',
  'strict-transport-security',
  'x-content-type-options',
];
const withoutBody = commonHeaders.filter(([name]) => WITHOUT_BODY.includes(name.toLowerCase()));

const setCommonHeaders: Act = ({ res }) => {
  for (const [name, value] of [204, 304].includes(res.statusCode) ? withoutBody : commonHeaders)
    if (!res.hasHeader(name)) res.setHeader(name, value);
};

/** Sets the headers that do not depend on the operation, once the answer is known. */
export const commonHeadersStep =
  (isStopping: () => boolean): Middleware =>
  async (ctx, next) => {
    await next();
    setCommonHeaders(ctx);
    // The service may have begun to stop meanwhile.
    if (isStopping()) ctx.res.setHeader('Connection', 'close');
  };
