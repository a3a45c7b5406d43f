import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import Database from 'libsql';
import { Type } from '../../src/schema/typebox.ts';
import { tokenSecret } from '../credentials.ts';
import type { Request } from '../load/spec.ts';
import { parse } from '../../src/schema/parse.ts';
import { copyWorld } from '../worlds.ts';
import { capture } from './bare-koa.ts';
import { startChildProcess } from './child.ts';
import type { Server } from './running.ts';
import { SERVICE_FLAGS } from './service.ts';

/** The usual stack on a copy of a world's read models. */
export interface Usual extends Server {
  /** How many saves are on disk. */
  readonly saves: () => number;
}

/**
 * Starts it.
 *
 * @param world that no process has open
 * @param place an empty directory for the copy and the log
 */
export const startUsual = async (world: string, place: string): Promise<Usual> => {
  await copyWorld(world, place, 'readModels');
  const file = join(place, 'read-models.db');
  const child = startChildProcess('usual', SERVICE_FLAGS);
  const request = { file, secret: tokenSecret, logFile: join(place, 'usual.log') };
  const { url } = await child.ask(request, Type.Object({ url: Type.String() }));
  return {
    url,
    end: () => child.end(),
    saves() {
      const connection = new Database(file, { readonly: true });
      const row = connection.prepare('SELECT count(*) AS saves FROM saves').get();
      connection.close();
      return parse(Type.Object({ saves: Type.Integer() }), row, 'row').saves;
    },
  };
};

/** The value of an answer, but for the time at which something was saved just now. */
const valueOf = (body: string): unknown =>
  JSON.parse(body, (name, value: unknown) => (name === 'savedAt' ? typeof value : value));

/** @throws Error where two servers do not answer each of the requests with the same value */
export const refuseOtherAnswers = async (url: string, other: string, requests: readonly Request[]): Promise<void> => {
  const [own, others] = [await capture(url, requests), await capture(other, requests)];
  for (const [index, { key, body }] of own.entries()) {
    const answer = others[index]?.body ?? '';
    if (!isDeepStrictEqual(valueOf(body), valueOf(answer)))
      throw new Error(`${key.split(' ').at(-1)}: ${other} answers ${answer}, and ${url} answers ${body}`);
  }
};
