import { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import helmet from 'helmet';
import type { Act } from './context.ts';

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

export const setCommonHeaders: Act = ({ res }) => {
  for (const [name, value] of commonHeaders) res.setHeader(name, value);
};
