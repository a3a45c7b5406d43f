import { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import helmet from 'helmet';
import type { Middleware } from './context.ts';

const setSecurityHeaders = helmet({
  contentSecurityPolicy: { useDefaults: false, directives: { defaultSrc: ["'none'"], frameAncestors: ["'none'"] } },
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
const commonHeaders: readonly (readonly [string, string])[] = [...securityHeaders(), ['Cache-Control', 'no-store']];

const pickCommonHeaders = (...names: string[]) => commonHeaders.filter(([name]) => names.includes(name.toLowerCase()));

/** Without a body (RFC 9110, 15.4.5; RFC 6797, 7.1; decisions, What else is served). */
const emptyAnswerHeaders = pickCommonHeaders('cache-control', 'strict-transport-security', 'x-content-type-options');
/**
 * Headers of answers with data: those that OWASP's REST Security Cheat Sheet lists, and who may embed the answer.
 * The others protect pages alone.
 */
export const dataAnswerHeaders = pickCommonHeaders(
  'cache-control',
  'content-security-policy',
  'cross-origin-resource-policy',
  'strict-transport-security',
  'x-content-type-options',
  'x-frame-options',
);

const headersFor = (res: ServerResponse) => {
  if (res.statusCode === 204 || res.statusCode === 304) return emptyAnswerHeaders;
  return String(res.getHeader('Content-Type')).startsWith('application/json') ? dataAnswerHeaders : commonHeaders;
};

/** Sets the headers that do not depend on the operation, once the answer is known. */
export const commonHeadersStep =
  (isStopping: () => boolean): Middleware =>
  async ({ res }, next) => {
    await next();
    for (const [name, value] of headersFor(res)) if (!res.hasHeader(name)) res.setHeader(name, value);
    // The service may have begun to stop meanwhile.
    if (isStopping()) res.setHeader('Connection', 'close');
  };
