import { Type } from '../../src/schema/typebox.ts';
import type { Request } from '../load/spec.ts';
import { startChildProcess, type Child } from './child.ts';
import type { Server } from './running.ts';

const Ready = Type.Object({ url: Type.String() });

const startWith = async (request: unknown): Promise<Server> => {
  const child: Child = startChildProcess('bare-koa');
  const { url } = await child.ask(request, Ready);
  return { url, end: () => child.end() };
};

/** Asks a service each request once; what it answers, for others to answer as well. */
export const capture = (url: string, requests: readonly Request[]) =>
  Promise.all(
    requests.map(async ({ method, path, headers, body: sent = null }) => {
      const response = await fetch(url + path, { method, headers, body: sent });
      const body = await response.text();
      if (response.status !== 200)
        throw new Error(`${method} ${path} was answered with ${response.status}: ${body.slice(0, 200)}`);
      return { key: `${headers['Authorization'] ?? ''} ${path}`, body };
    }),
  );

/**
 * Starts bare Koa with the answers of a service.
 *
 * @param route the requests' path, as @koa/router takes it
 * @param url where the service is
 */
export const startBareReads = async (route: string, url: string, requests: readonly Request[]): Promise<Server> =>
  startWith({ reads: [route], commands: [], answers: await capture(url, requests) });

/** Starts bare Koa that takes a POST, parses its body and answers 204. */
export const startBareCommand = (route: string): Promise<Server> =>
  startWith({ reads: [], commands: [route], answers: [] });
