import { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import helmet from 'helmet';
import type { Step } from './context.ts';

const setHeaders = helmet({
  contentSecurityPolicy: {
    useDefaults: false,
    directives: { defaultSrc: ["'none'"], frameAncestors: ["'none'"] },
  },
});

/** The security headers of every answer, name and value. They never differ, so helmet is asked once. */
export const securityHeaders: readonly (readonly [string, string])[] = (() => {
  const sample = new ServerResponse(new IncomingMessage(new Socket()));
  setHeaders(sample.req, sample, (error?: unknown) => {
    if (error instanceof Error) throw error;
  });
  return Object.entries(sample.getHeaders()).map(([name, value]) => [name, String(value)] as const);
})();

export const setSecurityHeaders = (): Step => async (ctx, next) => {
  for (const [name, value] of securityHeaders) ctx.res.setHeader(name, value);
  await next();
};
